import {
  ACTIVE_ADVERTISER_TEMPLATES,
  type CampaignTemplate,
  FORMER_ADVERTISER_TEMPLATES,
} from '../data/campaign-templates.ts';
import { NAMES } from '../data/names.ts';
import { ADVERTISERS, type Advertiser } from '../data/network.ts';
import { DEMO_DAYS, expectedRowCost, RATES } from '../data/rates.ts';
import { addDays } from './days.ts';
import type { Product } from './products.ts';
import { createRandom } from './random.ts';

type AdGroupTemplate = CampaignTemplate['adGroups'][number];

/** A campaign as a row of the load file `campaigns`. */
export type Campaign = ReturnType<typeof makeCampaign>;
/** An ad group as a row of the load file `ad_groups`. */
type AdGroup = ReturnType<typeof makeAdGroup>;

/** An ad group with everything that its simulation depends on. */
export interface SimulatedAdGroup {
  readonly adGroup: AdGroup;
  readonly advertiser: Advertiser;
  readonly campaign: CampaignTemplate;
  readonly template: AdGroupTemplate;
  readonly brand: string;
  readonly products: readonly Product[];
  /** Days with facts; there are none if `firstDay > lastDay`. */
  readonly firstDay: string;
  readonly lastDay: string;
  /** Expected number of deliveries on an average day; those in the same slice and hour become one row. */
  readonly rowsPerDay: number;
  /** The budget that the ad group spends: its own, or the campaign's, which all ad groups of the campaign share. */
  readonly budget: { readonly id: string; readonly microsPerDay: number };
}

/** @returns the campaigns and ad groups of all advertisers, both in ascending order of their ids */
export function makeCampaigns(end: string, products: readonly Product[]) {
  const rowsPerWeight = scaleTraffic();
  const campaigns: Campaign[] = [];
  const adGroups: SimulatedAdGroup[] = [];
  for (const [rank, advertiser] of ADVERTISERS.entries()) {
    for (const [index, template] of templatesOf(advertiser).entries()) {
      const brand = advertiser.brands[index % advertiser.brands.length]?.name ?? advertiser.name;
      const rowsPerDay = weightOf(template, rank) * (rowsPerWeight.get(template.experience) ?? 0);
      const campaign = makeCampaign(60_001 + campaigns.length, advertiser, template, brand, rowsPerDay, end);
      campaigns.push(campaign);
      const ofBrand = products.filter((product) => product.advertiserId === advertiser.id && product.brand === brand);
      for (const part of template.adGroups) {
        const adGroup = makeAdGroup(70_001 + adGroups.length, campaign, template, part, brand, ofBrand, rowsPerDay);
        const [first, last] = part.status === undefined ? daysWithFacts(template) : [1, 0];
        adGroups.push({
          adGroup,
          advertiser,
          campaign: template,
          template: part,
          brand,
          products: ofBrand.filter(({ id }) => adGroup.productIds?.includes(id) ?? true),
          firstDay: addDays(end, first),
          lastDay: addDays(end, last),
          rowsPerDay: rowsPerDay * shareOf(part, template),
          budget: budgetToSpend(campaign, adGroup, template),
        });
      }
    }
  }
  return { campaigns, adGroups };
}

function templatesOf({ active, campaignCount }: Advertiser): readonly CampaignTemplate[] {
  return (active ? ACTIVE_ADVERTISER_TEMPLATES : FORMER_ADVERTISER_TEMPLATES).slice(0, campaignCount);
}

/** Traffic falls with the rank of the advertiser (Zipf). */
function weightOf(template: CampaignTemplate, rank: number): number {
  return template.weight / (rank + 1) ** 0.95;
}

/** @returns the first and last day with facts, counted from the last day of the demo; there are none if first > last */
function daysWithFacts({ flight, pausedFrom }: CampaignTemplate): [first: number, last: number] {
  const [first, last] = flight;
  return [Math.max(first, 1 - DEMO_DAYS), Math.min(last ?? 0, (pausedFrom ?? 1) - 1, 0)];
}

/** @returns by experience, the rows per day and unit of weight with which all days together reach the rows of RATES */
function scaleTraffic(): ReadonlyMap<string, number> {
  const weightDays = new Map<string, number>();
  for (const [rank, advertiser] of ADVERTISERS.entries()) {
    for (const template of templatesOf(advertiser)) {
      const [first, last] = daysWithFacts(template);
      const added = weightOf(template, rank) * Math.max(0, last - first + 1);
      weightDays.set(template.experience, (weightDays.get(template.experience) ?? 0) + added);
    }
  }
  return new Map(Object.entries(RATES).map(([name, rates]) => [name, rates.rows / (weightDays.get(name) ?? 1)]));
}

function makeCampaign(
  id: number,
  advertiser: Advertiser,
  template: CampaignTemplate,
  brand: string,
  rowsPerDay: number,
  end: string,
) {
  const [first, last] = template.flight;
  const startDate = addDays(end, first);
  return {
    id,
    shortId: `C${id.toString(36).toUpperCase()}`,
    name: `${brand} ${template.theme === 'season' ? seasonOf(startDate) : template.theme}`,
    advertiserId: advertiser.id,
    status: template.status,
    startDate,
    ...(last === null ? {} : { endDate: addDays(end, last) }),
    ...budgetColumns('campaign', template, rowsPerDay),
  };
}

function makeAdGroup(
  id: number,
  campaign: Campaign,
  template: CampaignTemplate,
  part: AdGroupTemplate,
  brand: string,
  products: readonly Product[],
  rowsPerDay: number,
) {
  const listed = createRandom(`ad group ${id}`).sample(products, part.productCount ?? 0);
  return {
    id,
    shortId: `A${id.toString(36).toUpperCase()}`,
    name: `${brand} ${part.name}`,
    campaignId: campaign.id,
    status: part.status ?? template.status,
    ...budgetColumns('ad_group', template, rowsPerDay * shareOf(part, template)),
    ...(part.segmentIds === undefined ? {} : { segmentIds: part.segmentIds }),
    experience: template.experience,
    ...(listed.length === 0 ? {} : { productIds: listed.map((product) => product.id) }),
  };
}

/** @returns the ad group's share of what the campaign's approved ad groups deliver together */
function shareOf(part: AdGroupTemplate, template: CampaignTemplate): number {
  const approved = template.adGroups.filter((adGroup) => adGroup.status === undefined);
  return part.weight / approved.reduce((sum, adGroup) => sum + adGroup.weight, 0);
}

/** @returns the budget columns of a campaign or ad group: the expected cost of `rowsPerDay` with the template's headroom */
function budgetColumns(level: 'campaign' | 'ad_group', template: CampaignTemplate, rowsPerDay: number) {
  if (template.budget?.level !== level) return {};
  const perDay = (rowsPerDay * expectedRowCost(RATES[template.experience]) * template.headroom) / 1e6;
  return { budget: roundBudget(perDay * daysOfBudget(template)), budgetType: template.budget.type };
}

function budgetToSpend(campaign: Campaign, adGroup: AdGroup, template: CampaignTemplate): SimulatedAdGroup['budget'] {
  const level = template.budget?.level;
  const owner = level === 'campaign' ? campaign : adGroup;
  return { id: `${level} ${owner.id}`, microsPerDay: ((owner.budget ?? 0) * 1e6) / daysOfBudget(template) };
}

function daysOfBudget({ budget, flight: [first, last] }: CampaignTemplate): number {
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

/** @returns the amount rounded to two significant digits, the second one even (below 10 to halves), and at least one currency unit */
function roundBudget(amount: number): number {
  const step = Math.max(0.5, (10 ** Math.floor(Math.log10(Math.max(amount, 1))) / 10) * 2);
  return Math.max(1, Math.round(amount / step) * step);
}

function seasonOf(day: string): string {
  return `${NAMES.seasons[Number(day.slice(5, 7)) - 1]} ${day.slice(0, 4)}`;
}
