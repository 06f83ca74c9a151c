import { EXPERIENCES, type Experience, type ReportExperience } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { parseDate } from '../../lib/calendar.ts';
import type { Joins } from '../plan/joins.ts';
import type { EntityKind } from '../scan/entities.ts';
import type { Flight } from './budget-days.ts';

/** A budget that plans something, and its flight. */
export interface Budget extends Flight {
  readonly kind: EntityKind;
  readonly advertiserId: number;
  /** The ad group, or those of the campaign. */
  readonly adGroupIds: readonly KeyValue[];
  /** The experience of each of these; null where it is unknown. */
  readonly experiences: readonly (Experience | null)[];
  /** In micros of the currency unit. */
  readonly amount: number;
}

/** The statuses in which nothing is planned. */
const UNPLANNED: ReadonlySet<KeyValue> = new Set(['DRAFT', 'UNDER_REVIEW', 'FAILED']);

/**
 * @returns the budgets of the advertiser's ad groups in the experience, and of campaigns none of whose ad groups has one. An ad group of unknown experience
 * belongs to the one of the report; of all, to none.
 */
export function findBudgets(joins: Joins, reported: ReportExperience, advertiserId: number): Budget[] {
  const adGroups = [...joins.adGroupIds(advertiserId)].map((id) => {
    const column = (name: string) => joins.adGroup(advertiserId, id, name);
    const experience = experienceOf(column('experience')) ?? (reported === 'all' ? null : reported);
    return { id, column, campaignId: column('campaignId'), experience };
  });
  const campaign = (id: KeyValue) => (name: string) => joins.campaign(advertiserId, id, name);
  const withBudgets = new Set(
    adGroups.filter(({ column }) => column('budget') !== null).map(({ campaignId }) => campaignId),
  );
  const present = adGroups.filter(({ experience }) => reported === 'all' || experience === reported);
  const own = present.flatMap(({ id, column, campaignId, experience }) => {
    if (UNPLANNED.has(campaign(campaignId)('status'))) return [];
    return makeBudgets({ kind: 'ad_group', advertiserId, adGroupIds: [id], experiences: [experience] }, column);
  });
  const shared = [...Map.groupBy(present, ({ campaignId }) => campaignId)].flatMap(([campaignId, members]) => {
    if (withBudgets.has(campaignId)) return [];
    const adGroupIds = members.map(({ id }) => id);
    const experiences = members.map(({ experience }) => experience);
    return makeBudgets({ kind: 'campaign', advertiserId, adGroupIds, experiences }, campaign(campaignId));
  });
  return [...own, ...shared];
}

/**
 * An archived ad group or campaign plans until its end date. Without one, it is unknown when it ended.
 * @param column returns the value of a column of the ad group or campaign
 * @returns its budget; none where it plans nothing
 */
function makeBudgets(
  ids: Pick<Budget, 'kind' | 'advertiserId' | 'adGroupIds' | 'experiences'>,
  column: (name: string) => KeyValue,
): Budget[] {
  const [amount, type, firstDay] = [column('budget'), column('budgetType'), dayOf(column('startDate'))];
  const lastDay = dayOf(column('endDate')) ?? Number.POSITIVE_INFINITY;
  if (typeof amount !== 'number' || firstDay === undefined || UNPLANNED.has(column('status'))) return [];
  const needsEnd = type === 'LIFETIME' || column('archived') === 1;
  if (needsEnd && lastDay === Number.POSITIVE_INFINITY) return [];
  return [{ ...ids, amount, type, firstDay, lastDay }];
}

/** @returns the experience of all ad groups of the budget; null where it is unknown or they have several */
export function singleExperience({ experiences }: Pick<Budget, 'experiences'>): Experience | null {
  const [first = null, ...others] = new Set(experiences);
  return others.length === 0 ? first : null;
}

function experienceOf(name: KeyValue): Experience | undefined {
  return EXPERIENCES.find((experience) => experience === name);
}

function dayOf(date: KeyValue): number | undefined {
  return date === null ? undefined : parseDate(String(date));
}
