import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import { integerOf } from '../../../shared/load/schema/text-ids.ts';
import type { Random } from '../../oracle/random/random.ts';
import type { LoadRow } from '../../real/write-folder.ts';

/** The rows of a load folder, by file without extension. */
export type Files = Readonly<Record<string, readonly LoadRow[]>>;

/** A network of accounts, their advertisers, and what belongs to these; users see some of the accounts. */
export interface Network {
  readonly accounts: readonly Account[];
  readonly advertisers: readonly Advertiser[];
  readonly contacts: readonly Shared[];
  readonly addresses: readonly Shared[];
  readonly users: readonly User[];
  /** Impressions of all advertisers by hour and slice. */
  readonly market: readonly LoadRow[];
}

export interface Account {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
}

/** Something that several accounts may own. The first account is the primary one of an advertiser. */
export interface Shared {
  readonly accountIds: readonly number[];
  readonly row: LoadRow & { readonly id: number };
}

export interface Advertiser extends Shared {
  /** Products, campaigns, ad groups, facts, … of the advertiser. */
  readonly files: Files;
}

export interface User {
  readonly userId: string;
  readonly name: string;
  readonly userType: 'AGENCY' | 'CPG';
  readonly accountIds: readonly number[];
}

/** The texts of ids, which the files have, by the integers that the API has. Other ids are integers in the files, too. */
const TEXT_OF = new Map<unknown, string>();

function textId(text: string): number {
  const id = integerOf(text);
  TEXT_OF.set(id, text);
  return id;
}

export const USERS = 8;
/** Sees all accounts. */
export const OPERATOR = 'operator';
export const ACCOUNT_IDS = Array.from({ length: 14 }, (_, i) => 101 + i);
export const ADVERTISER_IDS = Array.from({ length: 16 }, (_, i) => textId(`advertiser-${i}`));
/** Ids of contacts, and of addresses. */
export const SHARED_IDS = Array.from({ length: 26 }, (_, i) => 301 + i);
const NAMES = ['Oat Hill', 'Brook', 'oat hill', 'Zest & Co', 'Äther', '\u{1F600} Foods', 'Peach, “Secret”', "O'Neil"];
const KEYWORDS = ['oats', 'oat milk', 'plum jam', 'peach secret', 'tea', ''];
const BANNERS = ['Harvest', 'Quick', ''];
const PLACEMENTS = [
  { id: 1, name: 'Search', experiences: ['pla', 'toa'] },
  { id: 2, name: 'Home', experiences: ['carousel', 'pla'] },
];
const STATUS = ['ACTIVE', 'PAUSED', 'ENDED'] as const;
/** Two months with a gap, so that some periods have days without facts. */
export const DATES = [3, 4, 5, 6, 9, 30, 31, 32, 33, 34].map((day) =>
  new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10),
);

/** @returns a network in which accounts share advertisers, contacts and addresses, and users share accounts */
export function randomNetwork(random: Random): Network {
  const accounts = random.sample(ACCOUNT_IDS, 10).map((id) => randomAccount(random, id));
  const ids = accounts.map(({ id }) => id);
  const advertisers = random.sample(ADVERTISER_IDS, 12).map((id) => randomAdvertiser(random, id, ids));
  return {
    accounts,
    advertisers,
    contacts: random.sample(SHARED_IDS, 20).map((id) => randomContact(random, id, ids)),
    addresses: random.sample(SHARED_IDS, 20).map((id) => randomAddress(random, id, ids)),
    users: Array.from({ length: USERS }, (_, i) => randomUser(random, `user-${i}`, ids)),
    market: randomMarket(random),
  };
}

/** Ids that a caller may try, by the parameter that takes them: those that a network may have, and a few others. */
export const GUESSES: Readonly<Record<string, readonly number[]>> = {
  account_id: [...ACCOUNT_IDS, 199],
  advertiser_id: [...ADVERTISER_IDS, 299],
  campaign_id: [...ADVERTISER_IDS.flatMap((id) => [campaignId(id, 0), campaignId(id, 1)]), 2999],
  ad_group_id: [...ADVERTISER_IDS.flatMap((id) => [0, 1, 2].map((at) => adGroupId(id, at))), 29_999],
};

export function randomAccount(random: Random, id: number): Account {
  return { id, name: `${random.pick(NAMES)} ${random.int(4)}`, active: random.chance(0.8) };
}

export function randomUser(random: Random, userId: string, accountIds: readonly number[]): User {
  return {
    userId,
    name: random.pick(NAMES),
    userType: random.pick(['AGENCY', 'CPG']),
    accountIds: random.sample(accountIds, random.pick([1, 2, 2, 3, 5])),
  };
}

const owners = (random: Random, accountIds: readonly number[]) => random.sample(accountIds, random.pick([1, 1, 2, 3]));

export function randomContact(random: Random, id: number, accountIds: readonly number[]): Shared {
  const [firstName, lastName] = [random.pick(NAMES), random.pick(NAMES)];
  const row = { id, firstName, lastName, email: `${random.int(99)}@example.org`, contactType: 'CPG' };
  return { accountIds: owners(random, accountIds), row };
}

export function randomAddress(random: Random, id: number, accountIds: readonly number[]): Shared {
  const addressType = random.pick(['CPG', 'AGENCY']);
  const row = {
    id,
    companyName: random.pick(NAMES),
    addressLine1: `${random.int(99)} Main`,
    city: 'Mainz',
    country: 'DE',
  };
  return { accountIds: owners(random, accountIds), row: { ...row, addressType } };
}

export function randomAdvertiser(random: Random, id: number, accountIds: readonly number[]): Advertiser {
  const row = {
    id,
    name: random.pick(NAMES),
    advertiserType: random.pick(['BRAND', 'AGENCY']),
    brandNames: random.sample(NAMES, 2),
  };
  return { accountIds: owners(random, accountIds), row, files: randomFiles(random, id) };
}

function campaignId(advertiserId: number, at: number): number {
  return textId(`${TEXT_OF.get(advertiserId)}-campaign-${at}`);
}

function adGroupId(advertiserId: number, at: number): number {
  return textId(`${TEXT_OF.get(advertiserId)}-ad-group-${at}`);
}

/** The entities that belong to one advertiser alone, and its facts. */
function randomFiles(random: Random, advertiserId: number): Files {
  const campaigns = [0, 1].map((at) => ({
    ...{ id: campaignId(advertiserId, at), advertiserId, name: random.pick(NAMES), status: random.pick(STATUS) },
    ...{ startDate: '2026-01-01', shortId: `C${random.int(9)}` },
    ...(random.chance(0.5) ? { budget: 10 + random.int(90), budgetType: 'DAILY', endDate: '2026-02-20' } : {}),
  }));
  const products = Array.from({ length: 2 + random.int(5) }, (_, at) => ({
    ...{
      id: textId(`${TEXT_OF.get(advertiserId)}-product-${at}`),
      advertiserId,
      upc: String(70_000 + at),
      name: random.pick(NAMES),
    },
    ...{ brand: random.pick(NAMES), department: random.pick(['Food', 'Drink']) },
  }));
  const adGroups = [0, 1, 2].map((at) => ({
    ...{ id: adGroupId(advertiserId, at), campaignId: campaignId(advertiserId, at % 2), name: random.pick(NAMES) },
    ...{ status: random.pick(STATUS), segmentIds: random.sample(['a', 'b', 'c'], random.int(3)) },
    productIds: random.sample(products, random.int(3)).map(({ id }) => id),
  }));
  const key = `creative-${advertiserId}`;
  const facts = EXPERIENCES.map((experience) => [experience, random.chance(0.7)] as const);
  return {
    ...{ campaigns, products, ad_groups: adGroups, creatives: [{ key, advertiserId, name: random.pick(NAMES) }] },
    insertion_orders: [
      { campaignId: campaigns[0]?.id ?? 0, ioName: random.pick(NAMES), ioTotalAmount: random.int(900) },
    ],
    freshness: EXPERIENCES.filter(() => random.chance(0.4)).map((experience) => ({
      ...{ experience, advertiserId, completeThrough: random.pick(DATES) },
    })),
    ...Object.fromEntries(
      facts.flatMap(([experience, has]) => (has ? randomFacts(random, experience, adGroups, products, key) : [])),
    ),
  };
}

function randomFacts(
  random: Random,
  experience: string,
  adGroups: readonly { readonly id: number }[],
  products: readonly { readonly upc: string }[],
  creative: string,
): [string, LoadRow[]][] {
  const where = () => ({
    ...{ daily_date: random.pick(DATES), hour: random.int(24), ad_group_id: random.pick(adGroups).id },
    ...{
      placement_id: random.pick([1, 2, '']),
      division_banner: random.pick(BANNERS),
      entity_id: random.pick(products).upc,
    },
    ...(experience === 'pla' ? { keyword: random.pick(KEYWORDS) } : {}),
  });
  const users = () => random.sample(['u1', 'u2', 'u3', 'u4', 'u5', 'u6'], random.int(4));
  const delivery = Array.from({ length: 40 }, () => ({
    ...{ ...where(), creative_key: creative, impressions: random.int(500), clicks: random.int(20) },
    ...{ cost: (random.int(9_999) / 1_000).toFixed(3), opportunities: random.int(2_000), users: users() },
  }));
  const conversions = Array.from({ length: 12 }, () => {
    const units = random.int(9);
    return {
      ...{ ...where(), purchased_entity_id: random.pick(products).upc, conversion_source: random.pick(['ONLINE', '']) },
      ...{ halo_units: units, halo_exposed_units: units + random.int(5), users: users() },
    };
  });
  const activity = adGroups.map(({ id }) => ({
    ...{ daily_date: random.pick(DATES), hour: random.int(24), ad_group_id: id },
    ...{ live_seconds: random.int(3_600), scheduled_seconds: 3_600 },
  }));
  return [
    [`facts/${experience}/delivery`, delivery],
    [`facts/${experience}/conversions`, conversions],
    [`facts/${experience}/activity`, activity],
  ];
}

/** The slice of a market row, or of a row of delivery. */
export const sliceOf = ({ placement_id, division_banner, keyword }: LoadRow): string =>
  JSON.stringify([placement_id ?? '', division_banner ?? '', keyword ?? '']);

export function randomMarket(random: Random): LoadRow[] {
  return Array.from({ length: 300 }, () => ({
    ...{ daily_date: random.pick(DATES), hour: random.int(24), placement_id: random.pick([1, 2, '']) },
    ...{ division_banner: random.pick(BANNERS), keyword: random.pick(KEYWORDS) },
    ...{ impressions: 500 + random.int(9_000), advertisers: random.int(9) },
  }));
}

/**
 * Advertisers that no key sees and that are in both services: the days on which any advertiser has rows, and the columns that any row of a load has on a
 * day, are public, by table, where at least as many as `marketMinOthers` have rows.
 */
const ANCHORS = [1, 2, 3];
const [ANCHOR = 1] = ANCHORS;
const onAllDates = (columns: LoadRow): LoadRow[] =>
  ANCHORS.flatMap((id) => DATES.map((daily_date) => ({ daily_date, hour: 1, ad_group_id: 20 + id, ...columns })));
const ANCHOR_FILES: Files = {
  campaigns: ANCHORS.map((id) => ({
    ...{ id: 10 + id, name: `Anchor ${id}`, advertiserId: id, status: 'ACTIVE', startDate: '2026-01-01' },
  })),
  ad_groups: ANCHORS.map((id) => ({ id: 20 + id, name: `Anchor ${id}`, campaignId: 10 + id, status: 'ACTIVE' })),
  products: ANCHORS.map((id) => ({ id: 30 + id, advertiserId: id, upc: '60001', name: 'Anchor', brand: 'Anchor' })),
  ...Object.fromEntries(
    EXPERIENCES.flatMap((experience) => {
      const where = { placement_id: 1, division_banner: BANNERS[0], entity_id: '60001', users: ['u1'] };
      const shared = experience === 'pla' ? { ...where, keyword: KEYWORDS[0] } : where;
      const delivery = { creative_key: 'anchor', impressions: 1, clicks: 1, cost: '0.001', opportunities: 1 };
      const orders = { purchased_entity_id: '60001', conversion_source: 'ONLINE' };
      return [
        [`facts/${experience}/delivery`, onAllDates({ ...shared, ...delivery })],
        [`facts/${experience}/conversions`, onAllDates({ ...shared, ...orders, halo_units: 1, halo_exposed_units: 1 })],
        [`facts/${experience}/activity`, onAllDates({ live_seconds: 1, scheduled_seconds: 1 })],
      ];
    }),
  ),
};

/** @returns the files to load */
export function filesOf(network: Network): Files {
  const files = Object.entries(rowsOf(network)).flatMap(([name, rows]): [string, LoadRow[]][] => {
    const all = rows.map(withTexts);
    return name.startsWith('facts/') ? splitByHours(name, all) : [[name, all]];
  });
  return Object.fromEntries(files);
}

/** @returns the file, and another one of the first day, which has no hours in any table */
function splitByHours(name: string, rows: readonly LoadRow[]): [string, LoadRow[]][] {
  const isWhole = (row: LoadRow) => row.daily_date === DATES[0];
  const whole = rows.filter(isWhole).map(({ hour: _, ...row }) => row);
  return [
    [name, rows.filter((row) => !isWhole(row))],
    [`${name}_days`, whole],
  ];
}

function withTexts(row: LoadRow): LoadRow {
  const cells = Object.entries(row).map(([column, cell]) => {
    return [column, Array.isArray(cell) ? cell.map((id) => TEXT_OF.get(id) ?? id) : (TEXT_OF.get(cell) ?? cell)];
  });
  return Object.fromEntries(cells);
}

function rowsOf(network: Network): Files {
  const parts = [...network.advertisers.map(({ files }) => files), ANCHOR_FILES];
  const names = new Set(parts.flatMap((files) => Object.keys(files)));
  return {
    accounts: [...network.accounts.map((account) => ({ ...account })), { id: ANCHOR, name: 'Anchor' }],
    advertisers: [
      ...network.advertisers.map(({ row, accountIds }) => ({ ...row, accountId: accountIds[0] ?? ANCHOR, accountIds })),
      ...ANCHORS.map((id) => ({ id, name: `Anchor ${id}`, accountId: ANCHOR })),
    ],
    contacts: network.contacts.map(({ row, accountIds }) => ({ ...row, accountIds })),
    addresses: network.addresses.map(({ row, accountIds }) => ({ ...row, accountIds })),
    placements: PLACEMENTS,
    users: [
      ...network.users.map((user) => ({ ...user })),
      { userId: OPERATOR, name: 'Operator', userType: 'AGENCY', accountIds: ['*'] },
    ],
    ...Object.fromEntries([...names].map((name) => [name, parts.flatMap((files) => files[name] ?? [])])),
    'facts/pla/market': network.market,
  };
}
