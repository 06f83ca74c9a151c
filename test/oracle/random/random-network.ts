import { EXPERIENCES, type Experience } from '../../../shared/catalog/tables.ts';
import type { Dataset, DimensionRow } from '../../support/facts.ts';
import { type Random, randomFrom } from './random.ts';

type Tables = Dataset['tables'];

/** Texts whose order by UTF-16 code unit differs from that by code point. */
export const BEYOND_THE_BASIC_PLANE = [
  'Beta \u{1D4B3}',
  '\u{1F600}',
  'Beta \uFF5E',
  '\uFF5E\u{10400}',
  '\uFFFD',
] as const;

const BUDGETS = [0, 50, 199.99, 1000, 12_345.678901];
/** The last is the largest amount whose micros are a safe integer. Near it, doubles are further apart than micros. */
const LARGE_BUDGETS = [0, 500_000_000, '8600000000.000001', '8600000000.000002', '9007199254.740991'];

const BUDGET_TYPES = ['DAILY', 'WEEKLY', 'MONTHLY', 'LIFETIME'] as const;
const CAMPAIGN_STATES = ['DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
const AD_GROUP_STATES = [...CAMPAIGN_STATES, 'UNDER_REVIEW', 'FAILED'] as const;
const SEGMENTS = ['seg-z', 'seg-a', 'Seg-M', 'seg_b', ...BEYOND_THE_BASIC_PLANE];
const NAMES = [
  ...['Alpha', 'beta', 'Gamma_1', 'Gämma', 'GÄMMA', 'O’Neil, Sons', "Dot's", '100%', 'alpha'],
  ...BEYOND_THE_BASIC_PLANE,
];

/** Ids that facts refer to, but that are in no dimension table. */
export const UNKNOWN_PLACEMENT = 99;
export const UNKNOWN_AD_GROUP = 9999;

/** Advertiser ids: 14 has campaigns but no facts; 15 has conversions but no delivery; 16 belongs only to account 3. */
export const ADVERTISERS = [11, 12, 13, 14, 15, 16] as const;

/** Where a row has no entity, nothing says what this advertiser advertises. */
const WITHOUT_PRODUCTS = 13;

/**
 * The dimension tables of a small network with unusual rows: null columns, duplicate names, several owners, campaigns with and without budgets on either
 * level, open and ended flights, data complete through different days, the same UPC in two advertisers, and insertion orders for some campaigns only.
 */
export function randomTables(random: Random, largeMoney: boolean): Tables {
  const budgets = largeMoney ? LARGE_BUDGETS : BUDGETS;
  const campaigns = ADVERTISERS.flatMap((advertiserId) => randomCampaigns(random, advertiserId, budgets));
  return {
    accounts: [
      { id: 1, name: 'North' },
      { id: 2, name: '\uFF5E agency' },
      { id: 3, name: '\u{1F600} Äther' },
    ],
    advertisers: [
      {
        id: 11,
        name: 'Northwind',
        advertiserType: 'BRAND',
        brandNames: ['Zest', 'Amber'],
        accountId: 1,
        accountIds: [1],
      },
      {
        id: 12,
        name: 'Tailspin',
        advertiserType: 'RETAILER',
        brandNames: ['Solo'],
        accountId: 3,
        accountIds: [1, 2, 3],
      },
      { id: 13, name: 'Northwind', advertiserType: null, brandNames: [], accountId: 2, accountIds: [2] },
      { id: 14, name: 'Silent', advertiserType: 'BRAND', brandNames: null, accountId: 1, accountIds: [1, 2] },
      {
        id: 15,
        name: 'Late',
        advertiserType: 'BRAND',
        brandNames: ['b', '\uFF5E', 'B', '\u{1F600}'],
        accountId: 2,
        accountIds: [2],
      },
      { id: 16, name: 'Other', advertiserType: null, brandNames: null, accountId: 3, accountIds: [3] },
    ],
    placements: [
      { id: 1, name: 'Search' },
      { id: 2, name: 'Home' },
      { id: 3, name: 'Search' },
      { id: 4, name: 'cart' },
    ],
    campaigns,
    ad_groups: campaigns.flatMap((campaign, index) => randomAdGroups(random, campaign, index, budgets)),
    creatives: [0, 1, 2].map((at) => ({
      advertiserId: random.pick(ADVERTISERS),
      key: `cr-${at}`,
      name: random.pick([...NAMES, `Creative ${at}`]),
    })),
    insertion_orders: campaigns.filter(() => random.chance(0.6)).map((campaign) => randomOrder(random, campaign)),
    products: ADVERTISERS.filter((id) => id !== WITHOUT_PRODUCTS).flatMap((advertiserId) =>
      randomProducts(random, advertiserId),
    ),
    freshness: EXPERIENCES.flatMap((experience) => randomFreshness(random, experience)),
  };
}

/** Rows of some tables, and of some advertisers, with or without a row for all advertisers; or none of these. Days are before any fact, and before, in and after the periods of reports. */
function randomFreshness(random: Random, experience: Experience): DimensionRow[] {
  const days = ['2024-10-31', '2024-11-28', '2025-01-10', '2025-03-17', '2025-04-08', '2025-12-31'];
  const of = (owner: { readonly advertiserId: number | null } | { readonly table: string }): DimensionRow => {
    return { experience, ...owner, completeThrough: random.pick(days) };
  };
  const tables = ['delivery', 'conversions', 'activity'].filter(() => random.chance(0.3)).map((table) => of({ table }));
  if (random.chance(0.3)) return tables;
  const own = ADVERTISERS.filter(() => random.chance(0.3)).map((advertiserId) => of({ advertiserId }));
  return [...tables, ...own, ...(random.chance(0.5) ? [of({ advertiserId: null })] : [])];
}

function randomCampaigns(random: Random, advertiserId: number, budgets: readonly (number | string)[]): DimensionRow[] {
  return Array.from({ length: 4 }, (_, at) => {
    const startDate = random.pick(['2024-11-01', '2025-01-01', '2025-01-15', '2025-03-03']);
    const ends = ['2025-01-25', '2025-03-20', '2025-03-31', '2025-12-31'].filter((date) => date > startDate);
    return {
      id: advertiserId * 10 + at,
      advertiserId,
      shortId: random.chance(0.7) ? `C${at}` : null,
      name: random.pick(NAMES),
      status: random.pick(CAMPAIGN_STATES),
      startDate,
      endDate: random.chance(0.4) ? null : random.pick(ends),
      archived: random.chance(0.1) ? 1 : null,
      ...randomBudget(random, 0.7, budgets, advertiserId * 10 + at),
    };
  });
}

/** The ad groups of every third campaign have no budget, so that the campaign's budget counts. */
function randomAdGroups(
  random: Random,
  campaign: DimensionRow,
  index: number,
  budgets: readonly (number | string)[],
): DimensionRow[] {
  const adGroups = Array.from({ length: 1 + random.int(4) }, (_, at) => ({
    id: Number(campaign.id) * 10 + at,
    advertiserId: Number(campaign.advertiserId),
    campaignId: Number(campaign.id),
    shortId: random.chance(0.7) ? `G${at}` : null,
    name: random.pick(NAMES),
    status: random.pick(AD_GROUP_STATES),
    startDate: random.chance(0.5) ? null : random.pick(['2025-01-10', '2025-03-05']),
    endDate: random.chance(0.5) ? null : random.pick(['2025-03-25', '2025-06-30']),
    segmentIds: random.chance(0.3) ? null : random.sample(SEGMENTS, random.int(4)),
    experience: random.chance(0.6) ? null : random.pick(EXPERIENCES),
    archived: random.chance(0.1) ? 1 : null,
    products: at === 0 ? null : [upcOf(at), upcOf(at + 3)],
    ...randomBudget(random, index % 3 === 0 ? 0 : 0.6, budgets, Number(campaign.id) * 10 + at),
  }));
  const ofDeletions = randomFrom(Number(campaign.id)); // of its own, so that the other choices stay as they are
  const areDeleted = ofDeletions.chance(0.15);
  return adGroups.map((row) => (areDeleted || ofDeletions.chance(0.1) ? { ...row, ...DELETED } : row));
}

/** Only ids are kept of a deleted ad group, and its history of budgets counts no more. */
const DELETED = {
  ...{ shortId: null, status: null, startDate: null, endDate: null, segmentIds: null, experience: null },
  ...{ archived: 1, products: null, budget: null, budgetType: null },
};

function randomBudget(
  random: Random,
  probability: number,
  budgets: readonly (number | string)[],
  id: number,
): DimensionRow {
  const ofHistory = randomFrom(id); // of its own, so that the other choices stay as they are
  const changes = ofHistory
    .sample(['2024-12-01', '2025-01-16', '2025-01-20', '2025-03-04', '2025-03-15'], 1 + ofHistory.int(3))
    .map(
      (date) => `${date} ${ofHistory.pick([0, 7, 1_000_000, 3_333_333, 250_000_000])} ${ofHistory.pick(BUDGET_TYPES)}`,
    );
  const history = { budgets: ofHistory.chance(0.5) ? changes.sort().join(',') : null };
  if (!random.chance(probability)) return { budget: null, budgetType: null, ...history };
  return { budget: random.pick(budgets), budgetType: random.pick(BUDGET_TYPES), ...history };
}

function randomOrder(random: Random, campaign: DimensionRow): DimensionRow {
  const maybe = <T>(value: T): T | null => (random.chance(0.8) ? value : null);
  return {
    campaignId: Number(campaign.id),
    advertiserId: Number(campaign.advertiserId),
    billings: maybe(random.pick(['B-1', 'b-2'])),
    purchaseOrderNumber: maybe(`PO${random.int(5)}`),
    ioName: maybe(random.pick(NAMES)),
    ioNumber: maybe(`${random.int(30)}`),
    ioTotalAmount: maybe(random.pick([9.5, 100, 20.25, '8600000000.000001', '8600000000.000002'])),
    ioRemainingAmount: maybe(random.pick([0, 0.000001, 33.1])),
    ioLineItemName: maybe(random.pick(NAMES)),
    ioLineItemNumber: maybe(`${random.int(30)}`),
    ioLineItemAmount: maybe(random.pick([7, 70.5, 700])),
  };
}

/** @returns the UPC of the product at `at`, which is the same for every advertiser, so that joins must include the advertiser */
export function upcOf(at: number): string {
  return String(70_000 + at * 11).padStart(13, '0');
}

function randomProducts(random: Random, advertiserId: number): DimensionRow[] {
  const maybe = <T>(value: T): T | null => (random.chance(0.8) ? value : null);
  return Array.from({ length: 8 }, (_, at) => ({
    upc: upcOf(at),
    advertiserId,
    name: random.pick([`Oats ${advertiserId}`, `Milk ${at}`, 'Jam']),
    brand: maybe(random.pick(['Zest', 'Amber', 'zest', '\uFF5E', '\u{1F600}'])),
    department: maybe(random.pick(['Food', 'Drink'])),
    departmentId: maybe(random.pick(['1', '02', '10'])),
    commodity: maybe(random.pick(['Cereal', 'Dairy', 'Spread'])),
    commodityId: maybe(`${random.int(4)}`),
    subCommodity: maybe(random.pick(['Cold', 'Hot'])),
    subCommodityId: maybe(`s${random.int(3)}`),
    entityGroup: maybe(random.pick(['Breakfast', 'Any_time'])),
    entityGroupId: maybe(`g${random.int(3)}`),
  }));
}
