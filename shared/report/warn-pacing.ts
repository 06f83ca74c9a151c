import type { FactHead } from '../catalog/partitions.ts';
import type { PlanBook } from './pacing.ts';
import { type Plan, splitsCampaigns } from './plan-report.ts';
import type { ReportWarning } from './query.ts';

/**
 * @param heads of the report's advertisers
 * @param completeThrough the last day that plans count
 * @returns what a reader of pacing must know: plans of campaigns that were left out, and cost of days that no plan counts
 */
export function warnPacing(
  { query }: Plan,
  plans: PlanBook | undefined,
  heads: ReadonlyMap<number, FactHead>,
  completeThrough: string | null,
): ReportWarning[] {
  if (plans === undefined || completeThrough === null) return [];
  const warnings: ReportWarning[] = [];
  if (plans.withheld > 0) {
    const drop = query.dimensions.filter((name) => splitsCampaigns([name], []));
    const detail = `pacing leaves out ${plans.withheld === 1 ? 'a campaign' : `${plans.withheld} campaigns`} with one budget for all ad groups: it has no meaning where ad groups of a campaign are told apart, by dimensions or by filters.`;
    warnings.push({ code: 'CAMPAIGN_BUDGETS_LEFT_OUT', field: 'pacing', detail, drop });
  }
  const days = [...heads].flatMap(([id, head]) => {
    const day = head.latestDelivery.get(query.experience);
    return day === undefined ? [] : [{ id, day }];
  });
  const behind = days.filter(({ day }) => day === completeThrough).map(({ id }) => id);
  if (query.endDate > completeThrough && behind.length < days.length) {
    const whose =
      behind.length === 1 ? `advertiser ${behind[0]}` : `${behind.length} advertisers, ${behind[0]} among them,`;
    const detail = `pacing counts planned days up to ${completeThrough}, where the data of ${whose} ends, but the cost of all days: leave out what has ended, or end the report there.`;
    warnings.push({ code: 'DATA_ENDS_EARLIER', field: 'pacing', detail, drop: [] });
  }
  return warnings;
}
