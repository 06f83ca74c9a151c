import { MICROS } from '../../catalog/dimension-tables.ts';
import type { FactHead } from '../../catalog/partitions.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import type { Joins } from '../plan/joins.ts';
import { type Plan, splitsCampaigns } from '../plan/plan-report.ts';
import type { ReportSettings, ReportWarning } from '../query/query.ts';
import { date, list, MAX_NAMED, money, text, thing, titles, warn } from '../query/warning.ts';
import type { CompleteDays } from './complete-days.ts';
import type { PacedFacts } from './pacing.ts';

/**
 * @param heads the fact heads of the advertisers that no filter excludes
 * @returns the warnings about planned cost and pacing: campaign budgets that it leaves out, and days with delivery that it does not count
 */
export function warnPacing(
  { query, planned, experiences }: Plan,
  pacing: PacedFacts['pacing'],
  heads: readonly FactHead[],
  completeDays: CompleteDays,
  joins: Joins,
  { currency }: ReportSettings,
): ReportWarning[] {
  if (pacing === undefined) return [];
  const warnings: ReportWarning[] = [];
  const { campaignsLeftOut, idle } = pacing;
  const field = planned?.isPaced ? 'pacing' : 'planned_cost';
  if (campaignsLeftOut > 0) {
    const drop = query.dimensions.filter(
      (name) => splitsCampaigns(name) || (query.experience === 'all' && name === 'experience_name'),
    );
    const campaigns = campaignsLeftOut === 1 ? 'a campaign' : `${campaignsLeftOut} campaigns`;
    const phrase = text`${titles([field])} leaves out ${campaigns} with one budget for all ad groups: such a budget is undefined where dimensions or filters separate the ad groups of a campaign. Unless a filter does, the totals still count it.`;
    warnings.push(warn('CAMPAIGN_BUDGETS_LEFT_OUT', [field], phrase, drop));
  }
  if (idle.budgets.length > 0) {
    const named = idle.budgets.map(({ kind, id, name, idleStatus }) => {
      return text`${thing(kind.replace('_', ' '), id ?? '', name)} (${idleStatus ?? ''})`;
    });
    const sum = Number(idle.planned.dividedBy(MICROS));
    const amount = Math.round(sum * 100) / 100 || sum;
    const plan = text`a plan of ${money(amount, currency)} of what does not run: ${list(named, MAX_NAMED)}`;
    warnings.push(warn('PLAN_OF_IDLE', [field], text`${titles([field])} includes ${plan}.`));
  }
  if (!planned?.isPaced) return warnings;
  const deliveredLater = heads.filter(({ advertiserId, latestDelivery }) => {
    const lastDay = completeDays.ofAdvertiser(advertiserId);
    if (!completeDays.hasPlan(advertiserId) || dayNumber(query.endDate) <= lastDay) return false;
    return experiences.flatMap((name) => latestDelivery.get(name) ?? []).some((latest) => dayNumber(latest) > lastDay);
  });
  const [first] = deliveredLater;
  if (first !== undefined) {
    const lastDay = completeDays.ofAdvertiser(first.advertiserId);
    const through = Number.isFinite(lastDay) ? text`only through ${date(formatDay(lastDay))}` : 'on no day';
    const others = deliveredLater.length - 1;
    const more = others > 0 ? ` (and of ${others} more advertisers through other days)` : '';
    const { advertiserId } = first;
    const advertiser = thing('advertiser', advertiserId, joins.advertiserName(advertiserId));
    const phrase = text`${titles(['pacing'])} counts plan and cost of ${advertiser} ${through}, its last day with complete data${more}, but its delivery goes on: end the report on that day to compare other figures.`;
    warnings.push(warn('DATA_ENDS_EARLIER', ['pacing'], phrase));
  }
  return warnings;
}
