import { MICROS } from '../../catalog/dimension-tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import { splitsCampaigns } from '../plan/plan-report.ts';
import type { ReportWarning } from '../query/query.ts';
import type { DescribedReport } from './described-report.ts';
import { date, list, MAX_NAMED, money, text, thing, titles, warn } from './warning.ts';

/** @returns the warnings about planned cost and pacing: campaign budgets that it leaves out, plans of what does not run, and days with delivery that it does not count */
export function warnPlans({ plan, widest, found, completeDays, joins, settings }: DescribedReport): ReportWarning[] {
  const pacing = found?.total.pacing;
  if (pacing === undefined) return [];
  const { query } = plan;
  const warnings: ReportWarning[] = [];
  const { campaignsLeftOut } = pacing;
  const { idle, idlePlan, cutShort } = pacing.noticesOf(plan.groupConditions.length > 0 ? found?.kept : undefined);
  const asked = [...query.metrics, ...query.filters.map((filter) => filter.field)];
  const field = (['pacing', 'remaining_planned_cost'] as const).find((name) => asked.includes(name)) ?? 'planned_cost';
  if (campaignsLeftOut > 0) {
    const drop = query.dimensions.filter(
      (name) => splitsCampaigns(name) || (query.experience === 'all' && name === 'experience_name'),
    );
    const campaigns = campaignsLeftOut === 1 ? 'a campaign' : `${campaignsLeftOut} campaigns`;
    const phrase = text`${titles([field])} leaves out ${campaigns} with one budget for all ad groups: such a budget is undefined where dimensions or filters separate the ad groups of a campaign. Unless a filter does, the totals still count it.`;
    warnings.push(warn('CAMPAIGN_BUDGETS_LEFT_OUT', [field], phrase, drop));
  }
  if (idle.size > 0) {
    const named = [...idle].map(({ kind, id, name, idleStatus }) => {
      return text`${thing(kind.replace('_', ' '), id ?? '', name)} (${idleStatus ?? ''})`;
    });
    const sum = Number(idlePlan.dividedBy(MICROS));
    const amount = Math.round(sum * 100) / 100 || sum;
    const ofIdle = text`a plan of ${money(amount, settings.currency)} of what does not run: ${list(named, MAX_NAMED)}`;
    warnings.push(warn('PLAN_OF_IDLE', [field], text`${titles([field])} includes ${ofIdle}.`));
  }
  const [advertiserId, ...others] = [...cutShort].sort((a, b) => a - b);
  if (advertiserId !== undefined) {
    const lastDay = completeDays.ofAdvertiser(advertiserId);
    const through = Number.isFinite(lastDay) ? text`only through ${date(formatDay(lastDay))}` : 'on no day';
    const more = others.length > 0 ? ` (and of ${others.length} more advertisers through other days)` : '';
    const what = widest.planned?.isPaced ? 'plan and cost' : 'the plan';
    const advertiser = thing('advertiser', advertiserId, joins.advertiserName(advertiserId));
    const phrase = text`${titles([field])} counts ${what} of ${advertiser} ${through}, its last day with complete data${more}, but its delivery goes on: end the report on that day to compare other figures.`;
    warnings.push(warn('DATA_ENDS_EARLIER', [field], phrase));
  }
  return warnings;
}
