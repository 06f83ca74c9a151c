import { addDays, monthOf } from './calendar.ts';
import {
  type AdGroupStatus,
  type BudgetType,
  CAMPAIGN_PLANS,
  type CampaignPlan,
  type CampaignStatus,
  PAST_PLANS,
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
  /** Whose money it spends (its own or the campaign's), and how much of that a day, in micros. */
  readonly purse: { readonly id: string; readonly perDay: number };
}

/** @returns the campaigns of all advertisers with their ad groups, ids ascending, and the flights, in the ad groups' order. */
export function makeCampaigns(end: string, products: readonly Product[]) {
  const rowsPerWeight = scaleTraffic();
  const campaigns: Campaign[] = [];
  const flights: Flight[] = [];
  for (const [rank, advertiser] of ADVERTISERS.entries()) {
    for (const [index, plan] of plansOf(advertiser).entries()) {
      const brand = advertiser.brands[index % advertiser.brands.length]?.name ?? advertiser.name;
      const rowsPerDay = weightOf(plan, rank) * (rowsPerWeight.get(plan.experience) ?? 0);
      const campaign = makeCampaign(60_001 + campaigns.length, advertiser, plan, brand, rowsPerDay, end);
      campaigns.push(campaign);
      const own = products.filter((product) => product.advertiserId === advertiser.id && product.brand === brand);
      for (const tactic of plan.tactics) {
        const adGroup = makeAdGroup(70_001 + flights.length, campaign, plan, tactic, brand, own, rowsPerDay);
        const [first, last] = tactic.status === undefined ? daysWithFacts(plan) : [1, 0];
        flights.push({
          adGroup,
          advertiser,
          plan,
          tactic,
          brand,
          products: own.filter(({ id }) => adGroup.productIds?.includes(id) ?? true),
          firstDay: addDays(end, first),
          lastDay: addDays(end, last),
          rowsPerDay: rowsPerDay * shareOf(tactic, plan),
          purse: purseOf(campaign, adGroup, plan),
        });
      }
    }
  }
  return { campaigns, flights };
}

/** An advertiser runs the first few of the plans. */
function plansOf({ active, campaignCount }: Advertiser): readonly CampaignPlan[] {
  return (active ? CAMPAIGN_PLANS : PAST_PLANS).slice(0, campaignCount);
}

/** Traffic falls with the rank of the advertiser (Zipf). */
function weightOf(plan: CampaignPlan, rank: number): number {
  return plan.weight / (rank + 1) ** 0.95;
}

/** @returns first and last day with facts, counted from the last day of the demo; none when first > last. */
function daysWithFacts({ flight, pausedFrom }: CampaignPlan): [first: number, last: number] {
  const [first, last] = flight;
  return [Math.max(first, 1 - DEMO_DAYS), Math.min(last ?? 0, (pausedFrom ?? 1) - 1, 0)];
}

/** @returns how many rows a day one unit of weight is, by experience, so that all days together reach RATES' rows. */
function scaleTraffic(): ReadonlyMap<string, number> {
  const weightDays = new Map<string, number>();
  for (const [rank, advertiser] of ADVERTISERS.entries()) {
    for (const plan of plansOf(advertiser)) {
      const [first, last] = daysWithFacts(plan);
      const added = weightOf(plan, rank) * Math.max(0, last - first + 1);
      weightDays.set(plan.experience, (weightDays.get(plan.experience) ?? 0) + added);
    }
  }
  return new Map(Object.entries(RATES).map(([name, rates]) => [name, rates.rows / (weightDays.get(name) ?? 1)]));
}

function makeCampaign(
  id: number,
  advertiser: Advertiser,
  plan: CampaignPlan,
  brand: string,
  rowsPerDay: number,
  end: string,
): Campaign {
  const [first, last] = plan.flight;
  const startDate = addDays(end, first);
  return {
    id,
    shortId: `C${id.toString(36).toUpperCase()}`,
    name: `${brand} ${plan.theme === 'season' ? seasonOf(startDate) : plan.theme}`,
    advertiserId: advertiser.id,
    status: plan.status,
    startDate,
    ...(last === null ? {} : { endDate: addDays(end, last) }),
    ...budgetOf('campaign', plan, rowsPerDay),
  };
}

function makeAdGroup(
  id: number,
  campaign: Campaign,
  plan: CampaignPlan,
  tactic: Tactic,
  brand: string,
  products: readonly Product[],
  rowsPerDay: number,
): AdGroup {
  const chosen = createRandom(`ad group ${id}`).sample(products, tactic.products ?? 0);
  return {
    id,
    shortId: `A${id.toString(36).toUpperCase()}`,
    name: `${brand} ${tactic.name}`,
    campaignId: campaign.id,
    status: tactic.status ?? plan.status,
    ...budgetOf('ad_group', plan, rowsPerDay * shareOf(tactic, plan)),
    ...(tactic.segments === undefined ? {} : { segmentIds: tactic.segments }),
    ...(chosen.length === 0 ? {} : { productIds: chosen.map((product) => product.id) }),
  };
}

/** @returns the tactic's part of what the plan's ad groups on air deliver together. */
function shareOf(tactic: Tactic, plan: CampaignPlan): number {
  const onAir = plan.tactics.filter((it) => it.status === undefined);
  return tactic.weight / onAir.reduce((sum, it) => sum + it.weight, 0);
}

/** @returns budget members for the level that has the plan's budgets: so many rows' expected cost, with the plan's headroom. */
function budgetOf(level: 'campaign' | 'ad_group', plan: CampaignPlan, rowsPerDay: number) {
  if (plan.budget?.on !== level) return {};
  const perDay = (rowsPerDay * expectedRowCost(RATES[plan.experience]) * plan.headroom) / 1e6;
  return { budget: roundBudget(perDay * daysOfBudget(plan)), budgetType: plan.budget.type };
}

function purseOf(campaign: Campaign, adGroup: AdGroup, plan: CampaignPlan): Flight['purse'] {
  const owner = plan.budget?.on === 'campaign' ? campaign : adGroup;
  return { id: `${plan.budget?.on} ${owner.id}`, perDay: ((owner.budget ?? 0) * 1e6) / daysOfBudget(plan) };
}

function daysOfBudget({ budget, flight: [first, last] }: CampaignPlan): number {
  switch (budget?.type) {
    case 'WEEKLY':
      return 7;
    case 'MONTHLY':
      return 30;
    case 'LIFETIME':
      return last === null ? 365 : last - first + 1;
    default:
      return 1;
  }
}

/** Planners choose round amounts: two significant digits, the second even, and no less than one currency unit. */
function roundBudget(amount: number): number {
  const step = Math.max(0.5, (10 ** Math.floor(Math.log10(Math.max(amount, 1))) / 10) * 2);
  return Math.max(1, Math.round(amount / step) * step);
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
