import { addDays, daysBetween, monthOf } from './calendar.ts';
import {
  type AdGroupStatus,
  type BudgetType,
  CAMPAIGN_PLANS,
  type CampaignPlan,
  type CampaignStatus,
  type Tactic,
} from './campaign-plans.ts';
import type { Product } from './catalogue.ts';
import { ADVERTISERS, type Advertiser } from './network.ts';
import { createRandom } from './random.ts';
import { DEMO_DAYS, expectedRowCost, RATES } from './rates.ts';

/** A campaign as a row of the load file `campaigns`. */
export interface Campaign {
  readonly id: number;
  readonly shortId: string;
  readonly name: string;
  readonly advertiserId: number;
  readonly status: CampaignStatus;
  readonly startDate: string;
  readonly endDate?: string;
  readonly budget?: number;
  readonly budgetType?: BudgetType;
}

/** An ad group as a row of the load file `ad_groups`. */
export interface AdGroup {
  readonly id: number;
  readonly shortId: string;
  readonly name: string;
  readonly campaignId: number;
  readonly status: AdGroupStatus;
  readonly budget?: number;
  readonly budgetType?: BudgetType;
  readonly segmentIds?: readonly string[];
  readonly productIds?: readonly number[];
}

/** An ad group, and what the traffic needs to know of it. */
export interface Flight {
  readonly adGroup: AdGroup;
  readonly advertiser: Advertiser;
  readonly plan: CampaignPlan;
  readonly tactic: Tactic;
  readonly brand: string;
  readonly products: readonly Product[];
  /** Days with facts; none when `firstDay > lastDay`. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Delivery rows expected on an average day. */
  readonly rowsPerDay: number;
  /** Whose money it spends, and how much of it a day, in micros. */
  readonly purse: { readonly id: string; readonly perDay: number };
}

/** @returns the campaigns of all advertisers with their ad groups, ids ascending, and the flights, in the ad groups' order. */
export function makeCampaigns(end: string, products: readonly Product[]) {
  const drafts = ADVERTISERS.flatMap((advertiser, rank) => draftCampaigns(advertiser, rank, end, products));
  const rowsPerWeight = scaleTraffic(drafts, end);
  const campaigns: Campaign[] = [];
  const flights: Flight[] = [];
  for (const draft of drafts) {
    const id = 60_001 + campaigns.length;
    const { campaign, money } = makeCampaign(id, draft, rowsPerWeight);
    campaigns.push(campaign);
    for (const part of draft.parts) flights.push(makeFlight(70_001 + flights.length, campaign, money, draft, part));
  }
  return { campaigns, flights };
}

/** A campaign before anything is known of how much traffic a unit of weight is. */
interface Draft {
  readonly advertiser: Advertiser;
  readonly plan: CampaignPlan;
  readonly brand: string;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly parts: readonly {
    tactic: Tactic;
    weight: number;
    products: readonly Product[];
    productIds?: readonly number[];
  }[];
}

type Part = Draft['parts'][number];

function draftCampaigns(advertiser: Advertiser, rank: number, end: string, products: readonly Product[]): Draft[] {
  const plans = advertiser.active ? CAMPAIGN_PLANS : CAMPAIGN_PLANS.filter((plan) => plan.status === 'ENDED');
  return plans.slice(0, advertiser.campaignCount).map((plan, index): Draft => {
    const random = createRandom(`campaign ${advertiser.id} ${index}`);
    const brand = advertiser.brands[index % advertiser.brands.length]?.name ?? advertiser.name;
    const own = products.filter((product) => product.advertiserId === advertiser.id && product.brand === brand);
    const startDate = addDays(end, plan.flight[0]);
    const endDate = plan.flight[1] === null ? null : addDays(end, plan.flight[1]);
    const siblings = plan.tactics.reduce((sum, tactic) => sum + tactic.weight, 0);
    return {
      advertiser,
      plan,
      brand,
      startDate,
      endDate,
      firstDay: latest(startDate, addDays(end, 1 - DEMO_DAYS)),
      lastDay: earliest(addDays(end, (plan.pausedFrom ?? 1) - 1), endDate ?? end),
      parts: plan.tactics.map((tactic) => {
        const weight = (plan.weight * tactic.weight) / siblings / (rank + 1) ** 0.95;
        if (tactic.products === undefined) return { tactic, weight, products: own };
        const chosen = random.sample(own, tactic.products);
        return { tactic, weight, products: chosen, productIds: chosen.map((product) => product.id) };
      }),
    };
  });
}

/** @returns how many rows a day one unit of weight is, by experience, so that all days together reach RATES' rows. */
function scaleTraffic(drafts: readonly Draft[], end: string): ReadonlyMap<string, number> {
  const weightDays = new Map<string, number>();
  for (const { plan, parts, firstDay, lastDay } of drafts) {
    const days = Math.max(0, daysBetween(firstDay, earliest(lastDay, end)));
    const weight = parts.reduce((sum, part) => sum + (runs(part) ? part.weight : 0), 0);
    weightDays.set(plan.experience, (weightDays.get(plan.experience) ?? 0) + weight * days);
  }
  return new Map(Object.entries(RATES).map(([name, rates]) => [name, rates.rows / (weightDays.get(name) ?? 1)]));
}

/** What a campaign costs a day if nothing stops it, by part, and the budgets made from that. */
interface Money {
  readonly rowsPerWeight: number;
  readonly budgetOf: (rowsPerDay: number) => { budget: number; perDay: number };
}

function makeCampaign(id: number, draft: Draft, rowsPerWeight: ReadonlyMap<string, number>) {
  const { plan, advertiser, startDate, endDate } = draft;
  const money: Money = {
    rowsPerWeight: rowsPerWeight.get(plan.experience) ?? 0,
    budgetOf: (rowsPerDay) => {
      const days = daysOfBudget(draft);
      const budget = roundBudget((rowsPerDay * expectedRowCost(RATES[plan.experience]) * plan.headroom * days) / 1e6);
      return { budget, perDay: (budget * 1e6) / days };
    },
  };
  const campaign: Campaign = {
    id,
    shortId: `C${id.toString(36).toUpperCase()}`,
    name: `${draft.brand} ${plan.theme === 'season' ? seasonOf(startDate) : plan.theme}`,
    advertiserId: advertiser.id,
    status: plan.status,
    startDate,
    ...(endDate === null ? {} : { endDate }),
    ...(plan.budget?.on === 'campaign'
      ? { budget: money.budgetOf(rowsOf(draft, money)).budget, budgetType: plan.budget.type }
      : {}),
  };
  return { campaign, money };
}

function makeFlight(id: number, campaign: Campaign, money: Money, draft: Draft, part: Part): Flight {
  const { plan, advertiser, brand, firstDay, lastDay } = draft;
  const { tactic, products, productIds } = part;
  const rowsPerDay = part.weight * money.rowsPerWeight;
  const own = money.budgetOf(rowsPerDay);
  const adGroup: AdGroup = {
    id,
    shortId: `A${id.toString(36).toUpperCase()}`,
    name: `${brand} ${tactic.name}`,
    campaignId: campaign.id,
    status: tactic.status ?? plan.status,
    ...(plan.budget?.on === 'ad_group' ? { budget: own.budget, budgetType: plan.budget.type } : {}),
    ...(tactic.segments === undefined ? {} : { segmentIds: tactic.segments }),
    ...(productIds === undefined ? {} : { productIds }),
  };
  const purse =
    plan.budget?.on === 'campaign'
      ? { id: `campaign ${campaign.id}`, perDay: money.budgetOf(rowsOf(draft, money)).perDay }
      : { id: `ad group ${id}`, perDay: own.perDay };
  return {
    adGroup,
    advertiser,
    plan,
    tactic,
    brand,
    products,
    firstDay,
    lastDay: runs(part) ? lastDay : '',
    rowsPerDay,
    purse,
  };
}

function runs(part: Part): boolean {
  return part.tactic.status === undefined;
}

function rowsOf(draft: Draft, money: Money): number {
  return draft.parts.reduce((sum, part) => sum + (runs(part) ? part.weight : 0), 0) * money.rowsPerWeight;
}

function daysOfBudget({ plan, startDate, endDate }: Draft): number {
  switch (plan.budget?.type) {
    case 'WEEKLY':
      return 7;
    case 'MONTHLY':
      return 30;
    case 'LIFETIME':
      return endDate === null ? 365 : daysBetween(startDate, endDate);
    default:
      return 1;
  }
}

/** Planners choose round amounts: two significant digits, the second even, and no less than half a currency unit. */
function roundBudget(amount: number): number {
  const step = Math.max(0.5, (10 ** Math.floor(Math.log10(Math.max(amount, 1))) / 10) * 2);
  return Math.max(0.5, Math.round(amount / step) * step);
}

const SEASONS = [
  'New Year Reset',
  'Game Day',
  'Spring Refresh',
  'Easter Table',
  'Outdoor Season',
  'Summer Kickoff',
  'Summer Grilling',
  'Back to School',
  'Harvest Savings',
  'Spooky Treats',
  'Thanksgiving Table',
  'Holiday Hosting',
];

function seasonOf(day: string): string {
  return `${SEASONS[monthOf(day) - 1]} ${day.slice(0, 4)}`;
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}

function earliest(one: string, other: string): string {
  return one < other ? one : other;
}
