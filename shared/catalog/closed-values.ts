import type { DimensionName } from './dimensions.ts';
import type { MetricName } from './metrics.ts';
import { EXPERIENCES } from './tables.ts';

export const CAMPAIGN_STATUSES = ['DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
export const AD_GROUP_STATUSES = [...CAMPAIGN_STATUSES, 'UNDER_REVIEW', 'FAILED'] as const;
export const BUDGET_TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'LIFETIME'] as const;

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const ISO_WEEKDAYS = [1, 2, 3, 4, 5, 6, 7];

const CLOSED = new Map<string, readonly (string | number)[]>(
  Object.entries({
    ad_group_status: AD_GROUP_STATUSES,
    campaign_status: CAMPAIGN_STATUSES,
    ad_group_budget_type: BUDGET_TYPES,
    campaign_budget_type: BUDGET_TYPES,
    experience_name: EXPERIENCES,
    hour: HOURS,
    weekday: ISO_WEEKDAYS,
  } as const satisfies Partial<Readonly<Record<MetricName | DimensionName, readonly (string | number)[]>>>),
);

/** @returns all values that the field can have, except null; undefined if its values are not a closed set */
export function closedValuesOf(field: MetricName | DimensionName): readonly (string | number)[] | undefined {
  return CLOSED.get(field);
}
