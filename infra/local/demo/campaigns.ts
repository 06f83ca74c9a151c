import { ADVERTISERS, CAMPAIGNS, DEMO_DAYS, existing, type Plan, RATES, SEASONS } from './data/network.ts';
import { addDays } from './demand.ts';
import type { Product } from './products.ts';
import { createRandom } from './random.ts';

type Planned = ReturnType<typeof planCampaigns>[number];
export type Campaign = ReturnType<typeof makeCampaigns>['campaigns'][number];
/** An ad group with everything that its simulation depends on; `row` is its row of the load file `ad_groups`. */
export type AdGroup = ReturnType<typeof makeCampaigns>['adGroups'][number];

/** @returns the campaigns and ad groups of all advertisers, both in ascending order of their ids */
export function makeCampaigns(end: string, products: readonly Product[]) {
  const campaigns = planCampaigns().map((planned, index) => {
    const id = 60_001 + index;
    const { plan, brand, advertiser } = planned;
    const [first = 0, last] = plan.flight;
    const startDate = addDays(end, first);
    const row = {
      id,
      shortId: `C${id.toString(36).toUpperCase()}`,
      name: `${brand} ${plan.theme === 'season' ? seasonOf(startDate) : plan.theme}`,
      advertiserId: advertiser.id,
      status: plan.status,
      startDate,
      ...(last === undefined ? {} : { endDate: addDays(end, last) }),
      ...budgetColumns('campaign', planned, planned.rowsPerDay),
    };
    return { ...planned, row };
  });
  const parts = campaigns.flatMap((campaign) =>
    campaign.plan.adGroups.map((part) => ({ ...campaign, campaign: campaign.row, part })),
  );
  const adGroups = parts.map(({ campaign, part, ...planned }, index) => {
    const id = 70_001 + index;
    const { plan, brand, advertiser, firstDay, lastDay } = planned;
    const rowsPerDay = planned.rowsPerDay * shareOf(part, plan);
    const ofBrand = products.filter((product) => product.advertiserId === advertiser.id && product.brand === brand);
    const listed = createRandom(`ad group ${id}`).sample(ofBrand, part.productCount);
    const row = {
      id,
      shortId: `A${id.toString(36).toUpperCase()}`,
      name: `${brand} ${part.name}`,
      campaignId: campaign.id,
      status: part.status,
      ...budgetColumns('ad_group', planned, rowsPerDay),
      ...(part.segmentIds.length === 0 ? {} : { segmentIds: part.segmentIds }),
      experience: plan.experience,
      ...(listed.length === 0 ? {} : { productIds: listed.map((product) => product.id) }),
    };
    const owner = plan.budget?.level === 'campaign' ? campaign : row;
    return {
      row,
      advertiser,
      plan,
      part,
      brand,
      products: part.productCount === 0 ? ofBrand : listed,
      /** Days with facts; there are none if `firstDay > lastDay`, as of ad groups that are not approved. */
      firstDay: addDays(end, firstDay),
      lastDay: addDays(end, part.status === plan.status ? lastDay : firstDay - 1),
      /** Expected deliveries of an average day. */
      rowsPerDay,
      /** The budget that the ad group spends: its own, or that of the campaign, which all its ad groups share. */
      budget: { id: owner.id, microsPerDay: ((owner.budget ?? 0) * 1e6) / daysOfBudget(plan) },
    };
  });
  return { campaigns: campaigns.map(({ row }) => row), adGroups };
}

/** @returns the campaigns of all advertisers, with so many rows per day that all days together reach the rows of the rates */
function planCampaigns() {
  const planned = ADVERTISERS.flatMap((advertiser, rank) => {
    const plans = CAMPAIGNS.filter(({ former = false }) => former !== advertiser.active).slice(
      0,
      advertiser.campaignCount,
    );
    return plans.map((plan, index) => {
      const [first = 0, last = 0] = plan.flight;
      return {
        plan,
        advertiser,
        brand: existing(advertiser.brands[index % advertiser.brands.length]).name,
        rates: existing(RATES.get(plan.experience)),
        weight: plan.weight / (rank + 1) ** 0.95,
        /** First and last day with facts, counted from the last day of the demo. */
        firstDay: Math.max(first, 1 - DEMO_DAYS),
        lastDay: Math.min(last, (plan.pausedFrom ?? 1) - 1, 0),
      };
    });
  });
  const weightDays = new Map<string, number>();
  for (const { plan, weight, firstDay, lastDay } of planned) {
    weightDays.set(
      plan.experience,
      (weightDays.get(plan.experience) ?? 0) + weight * Math.max(0, lastDay - firstDay + 1),
    );
  }
  return planned.map((campaign) => {
    const { plan, rates, weight } = campaign;
    return { ...campaign, rowsPerDay: weight * (rates.rows / existing(weightDays.get(plan.experience))) };
  });
}

/** @returns the ad group's share of what the campaign's approved ad groups deliver together */
function shareOf(part: Plan['adGroups'][number], plan: Plan): number {
  const approved = plan.adGroups.filter((adGroup) => adGroup.status === plan.status);
  return part.weight / approved.reduce((sum, adGroup) => sum + adGroup.weight, 0);
}

/** @returns the budget columns of a campaign or ad group: the expected cost of `rowsPerDay` with the plan's headroom */
function budgetColumns(level: string, { plan, rates }: Pick<Planned, 'plan' | 'rates'>, rowsPerDay: number) {
  if (plan.budget?.level !== level) return {};
  const { impressionsPerRow, clickRate, clickPriceMicros, impressionPriceMicros } = rates;
  const rowCost = impressionsPerRow * (clickRate * clickPriceMicros + impressionPriceMicros);
  const perDay = (rowsPerDay * rowCost * plan.headroom) / 1e6;
  return { budget: roundBudget(perDay * daysOfBudget(plan)), budgetType: plan.budget.type };
}

function daysOfBudget({ budget, flight: [first = 0, last = first + 364] }: Plan): number {
  if (budget?.type === 'LIFETIME') return last - first + 1;
  return budget?.type === 'WEEKLY' ? 7 : budget?.type === 'MONTHLY' ? 30 : 1;
}

/** @returns the amount rounded to two significant digits, the second one even (below 10 to halves), and at least one currency unit */
function roundBudget(amount: number): number {
  const step = Math.max(0.5, (10 ** Math.floor(Math.log10(Math.max(amount, 1))) / 10) * 2);
  return Math.max(1, Math.round(amount / step) * step);
}

function seasonOf(day: string): string {
  return `${SEASONS[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
}
