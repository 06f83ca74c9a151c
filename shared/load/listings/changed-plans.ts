import { daysOfRanges, rangesOf } from '../../layout/day-ranges.ts';
import type { FactHead } from '../../layout/partitions.ts';
import { dayNumber, formatDay } from '../../lib/calendar.ts';
import { MAX_EXAMPLES } from '../schema/problems.ts';
import type { Network } from './known-network.ts';

/** What decides the plan of a campaign or an ad group. Days are day numbers. */
interface PlanInput {
  readonly campaignId: number;
  readonly firstDay: number;
  readonly lastDay: number;
  readonly isPlanned: boolean;
  /** Ascending by day; without an amount where it has no budget of its own row. */
  readonly budgets: readonly { readonly from: number; readonly amount?: number | undefined; readonly type?: unknown }[];
}

/** The statuses in which nothing is planned. */
const UNPLANNED: readonly unknown[] = ['DRAFT', 'UNDER_REVIEW', 'FAILED'];

/**
 * Budgets, flights, statuses and campaigns apply to the whole past, so a load may change what reports say of days that are loaded.
 * @param platform the platform's fact head before the load
 * @returns a warning for campaigns and one for ad groups, with the loaded days whose plan changes
 */
export function warnOfPlans(before: Network, after: Network, platform: FactHead | undefined): string[] {
  const loaded = [...(platform?.days?.values() ?? [])].flatMap((tables) => daysOfRanges(tables.get('delivery') ?? []));
  const days = daysOfRanges(rangesOf(loaded));
  const hasBudgets = [...before.campaigns, ...before.ad_groups, ...before.budgets].some(
    ({ budget }) => budget !== undefined,
  );
  if (!hasBudgets || days.length === 0) return [];
  return (['campaigns', 'ad_groups'] as const).flatMap((listing) => {
    const [stored, now] = [inputsOf(before, listing), inputsOf(after, listing)];
    const changed = [...now].flatMap(([id, input]) => {
      const old = stored.get(id);
      if (!old?.isPlanned || JSON.stringify(old) === JSON.stringify(input)) return [];
      const own = days.filter((day) => planOf(old, day) !== planOf(input, day));
      return own.length > 0 ? [{ id, days: own }] : [];
    });
    if (changed.length === 0) return [];
    const ids = changed.slice(0, MAX_EXAMPLES).map(({ id }) => id);
    const of = `${changed.length.toLocaleString('en-US')} of the ${listing} (among them ${ids.join(', ')})`;
    const ranges = rangesOf(changed.flatMap((row) => row.days));
    const texts = ranges
      .slice(0, MAX_EXAMPLES)
      .map(([first, last]) => (first === last ? formatDay(first) : `${formatDay(first)} to ${formatDay(last)}`));
    const more = ranges.length > MAX_EXAMPLES ? ` and ${ranges.length - MAX_EXAMPLES} more ranges` : '';
    return [
      `${listing}: the plan of ${of} changes on days that are loaded: pacing of ${texts.join(', ')}${more} changes, too`,
    ];
  });
}

/** @returns what decides the plans of those that are not deleted */
function inputsOf(network: Network, listing: 'campaigns' | 'ad_groups'): Map<number, PlanInput> {
  const campaigns = new Map(network.campaigns.map((campaign) => [campaign.id, campaign]));
  const budgets = Map.groupBy(network.budgets, ({ campaignId, adGroupId }) =>
    listing === 'campaigns' ? campaignId : adGroupId,
  );
  const dayOf = (date: string | undefined) => (date === undefined ? undefined : dayNumber(date));
  return new Map(
    network[listing].flatMap((row) => {
      const campaignId = 'campaignId' in row ? row.campaignId : row.id;
      const campaign = campaigns.get(campaignId);
      if (row.delisted === 'deleted' || campaign === undefined) return [];
      const history = (budgets.get(row.id) ?? []).map(({ validFrom, budget, budgetType }) => {
        return { from: dayNumber(validFrom), amount: budget, type: budgetType };
      });
      const input: PlanInput = {
        campaignId,
        firstDay: dayOf(row.startDate ?? campaign.startDate) ?? Number.NEGATIVE_INFINITY,
        lastDay: dayOf(row.endDate ?? campaign.endDate) ?? Number.POSITIVE_INFINITY,
        isPlanned: ![row.status, campaign.status].some((status) => UNPLANNED.includes(status)),
        budgets: [
          { from: Number.NEGATIVE_INFINITY, amount: row.budget, type: row.budgetType },
          ...history.sort((a, b) => a.from - b.from),
        ],
      };
      return [[row.id, input] as const];
    }),
  );
}

/** @returns a text that differs where the plan of the day may, or the campaign */
function planOf({ campaignId, firstDay, lastDay, isPlanned, budgets }: PlanInput, day: number): string {
  const steps = budgets.filter(({ from }) => from <= day);
  const { amount, type } = steps.at(-1) ?? {};
  if (!isPlanned || amount === undefined || day < firstDay || day > lastDay) return `${campaignId}`;
  const spread = type === 'LIFETIME' ? JSON.stringify([firstDay, lastDay, steps]) : ''; // it depends on what was planned before
  return `${campaignId} ${amount} ${type} ${spread}`;
}
