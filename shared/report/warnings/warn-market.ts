import { sortTexts } from '../../lib/compare-text.ts';
import type { ReportWarning } from '../query/query.ts';
import { add } from '../sums/exact-numbers.ts';
import type { DescribedReport } from './described-report.ts';
import { days, text, titles, warn } from './warning.ts';

/**
 * A filter on what the caller never bought gets the same warning as one on an unknown value: without own impressions, no market was looked at.
 * @returns the warning that states which part of the report's impressions share_of_voice covers, unless it covers all, or that there are none
 */
export function warnMarket({ settings: { marketMinOthers: minOthers }, found }: DescribedReport): ReportWarning[] {
  const shares = found?.rows.shares;
  if (shares === undefined) return [];
  const { covered, withheld, hasWholeDays, unknownDays } = shares;
  const impressions = add(covered, withheld);
  const share = titles(['share_of_voice']);
  const dates = sortTexts([...new Set(Array.from(unknownDays, (day) => day.replace(/.*\//, '')))]);
  const left = text`No file had ${titles(['impressions'])} on ${days(dates)}: these days are left out of ${share}.`;
  const unknown = dates.length === 0 ? [] : [warn('NOT_MEASURED', ['daily_date', 'share_of_voice'], left)];
  if (impressions === 0 && unknown.length > 0) return unknown;
  if (impressions === 0) {
    const phrase = text`${share} is null: it compares placements, division banners and keywords in which your advertisers have impressions, and this report has none.`;
    return [warn('NO_OWN_IMPRESSIONS', ['share_of_voice'], phrase)];
  }
  if (withheld === 0) return unknown;
  const few = minOthers === 1 ? 'no other advertiser' : `fewer than ${minOthers} other advertisers`;
  const reason = minOthers === 0 ? '' : `in which ${few} had impressions, or `;
  const whole = hasWholeDays ? ', or that have rows with and without hours on a day' : '';
  const part = `${covered.toLocaleString('en-US')} of ${impressions.toLocaleString('en-US')} impressions`;
  const phrase = text`${share} covers ${part}: it leaves out hours of a placement, division banner and keyword ${reason}for which the market has no figures${whole}.`;
  return [...unknown, warn('PART_OF_THE_MARKET', ['share_of_voice'], phrase)];
}
