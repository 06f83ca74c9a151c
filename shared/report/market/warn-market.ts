import type { ReportWarning } from '../query/query.ts';
import { add } from '../sums/exact-numbers.ts';
import type { MarketShares } from './read-market-shares.ts';

/**
 * A filter on what the caller never bought gets the same warning as one on an unknown value: without own impressions, no market was looked at.
 * @returns the warning that states which part of the report's impressions share_of_voice covers, unless it covers all, or that there are none
 */
export function warnMarket(shares: MarketShares | undefined, minOthers: number): ReportWarning[] {
  if (shares === undefined) return [];
  const { covered, withheld } = shares;
  const impressions = add(covered, withheld);
  if (impressions === 0) {
    const detail =
      'share_of_voice is null: it compares placements, division banners and keywords in which your advertisers have impressions, and this report has none.';
    return [{ code: 'NO_OWN_IMPRESSIONS', field: 'share_of_voice', detail, drop: [] }];
  }
  if (withheld === 0) return [];
  const few = minOthers === 1 ? 'no other advertiser' : `fewer than ${minOthers} other advertisers`;
  const reason = minOthers === 0 ? '' : `in which ${few} had impressions, or `;
  const detail = `share_of_voice covers ${covered.toLocaleString('en-US')} of ${impressions.toLocaleString('en-US')} impressions: it leaves out hours of a placement, division banner and keyword ${reason}for which the market has no figures.`;
  return [{ code: 'PART_OF_THE_MARKET', field: 'share_of_voice', detail, drop: [] }];
}
