import { type FactHead, MARKET_ADVERTISER } from '../catalog/partitions.ts';
import { dayNumber, formatDay } from '../lib/calendar.ts';
import type { PacingResult } from './pacing.ts';
import type { Completeness } from './plan/completeness.ts';
import { splitsCampaigns } from './plan/plan-report.ts';
import type { ReportQuery, ReportWarning } from './query.ts';

/**
 * @param heads of the report's advertisers and of the platform
 * @returns what a reader of pacing must be told: plans of campaigns that the rows leave out, and cost of days that no plan counts
 */
export function warnPacing(
  query: ReportQuery,
  pacing: PacingResult | undefined,
  heads: ReadonlyMap<number, FactHead>,
  completeness: Completeness,
): ReportWarning[] {
  if (pacing === undefined) return [];
  const warnings: ReportWarning[] = [];
  const { campaignsLeftOut } = pacing;
  if (campaignsLeftOut > 0) {
    const drop = query.dimensions.filter(splitsCampaigns);
    const campaigns = campaignsLeftOut === 1 ? 'a campaign' : `${campaignsLeftOut} campaigns`;
    const detail = `pacing leaves out ${campaigns} with one budget for all ad groups: it has no meaning where ad groups of a campaign are told apart, by dimensions (then only the totals count it) or by filters.`;
    warnings.push({ code: 'CAMPAIGN_BUDGETS_LEFT_OUT', field: 'pacing', detail, drop });
  }
  const ahead = [...heads.values()].filter(({ advertiserId, latestDelivery }) => {
    if (advertiserId === MARKET_ADVERTISER) return false;
    const latest = latestDelivery.get(query.experience);
    const complete = completeness.lastDayOf(advertiserId);
    return latest !== undefined && dayNumber(latest) > complete && dayNumber(query.endDate) > complete;
  });
  const [first] = ahead;
  if (first !== undefined) {
    const whose =
      ahead.length === 1
        ? `advertiser ${first.advertiserId}, whose data is complete through ${formatDay(completeness.lastDayOf(first.advertiserId))},`
        : `${ahead.length} advertisers, ${first.advertiserId} among them,`;
    const detail = `pacing counts the planned days of ${whose} only as far as data is complete, but the cost of later days as well: end the report there to compare the two.`;
    warnings.push({ code: 'DATA_ENDS_EARLIER', field: 'pacing', detail, drop: [] });
  }
  return warnings;
}
