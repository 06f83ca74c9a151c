import { CUSTOM_COLUMNS, columnName, customListingColumns } from '../../../shared/catalog/custom-fields.ts';
import {
  EXPERIENCES,
  type Experience,
  FACT_TABLES,
  type FactTable,
  fileMeasuresOf,
  keyIn,
  TABLE_KEYS,
} from '../../../shared/catalog/tables.ts';
import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import type { Dataset, FactRow } from '../../support/facts.ts';
import { type Random, randomFrom } from './random.ts';
import { withLargeIds } from './random-ids.ts';
import { BEYOND_THE_BASIC_PLANE, randomTables, UNKNOWN_AD_GROUP, UNKNOWN_PLACEMENT, upcOf } from './random-network.ts';

const BANNERS = ['Harvest', 'harvest', 'Corner', '\u{1F600}', '\uFF5E', null] as const;
const KEYWORDS = ['oat milk', 'Oat_Milk', 'jam 100% \\o_', 'müsli', null, ...BEYOND_THE_BASIC_PLANE];
const CREATIVES = ['cr-0', 'cr-1', 'cr-unknown', null] as const;
const MATCHES = ['EXACT', 'BROAD', null] as const;
const SOURCES = ['ONLINE', 'IN_STORE', null] as const;

/** What a return has below zero: all measures of conversions. */
const RETURNED = [
  ...(['halo_transactions', 'halo_units', 'halo_revenue'] as const),
  ...(['halo_exposed_transactions', 'halo_exposed_units', 'halo_exposed_revenue'] as const),
];

/** The size of a random dataset. */
export interface Size {
  /** The number of facts, without the market rows that are derived from delivery. */
  readonly rows: number;
  /** The number of users from whom those of the rows are drawn. */
  readonly users: number;
  /** The maximum number of users per row. */
  readonly usersPerRow: number;
}

/** How a random network differs from an ordinary one. */
export interface Traits {
  /** Ids of every kind are at the limits of 32-bit integers and of doubles. */
  readonly largeIds?: boolean;
  /** Money is of a currency without decimals: sums of micros exceed 2^53, but stay below 2^63. */
  readonly largeMoney?: boolean;
  /** The experience without delivery and without freshness: its reports are complete through null. */
  readonly withoutDelivery?: Experience;
  /** Some days of advertisers lack measures or dimensions; some advertisers lack one on all days. */
  readonly unmeasured?: boolean;
  /** Some rows of delivery are credits: all of some days and those of the last days, and all of an advertiser on others. */
  readonly credits?: boolean;
  /** Conversions and activity begin later than delivery or end earlier, or are in no file of an experience. */
  readonly late?: boolean;
  /** Some days have no hours: in all tables, or in one table of an advertiser. */
  readonly withoutHours?: boolean;
}

/** An advertiser in an experience, with the ad groups and dates that its facts may have. */
interface Place {
  readonly experience: Experience;
  readonly advertiserId: number;
  readonly adGroups: readonly number[];
  readonly dates: readonly string[];
}

/**
 * @returns a network with facts in four tables and three experiences, from December 2024 to April 2025 without February. Some days have no facts,
 * advertisers end on different days, keys of each kind are sometimes null or missing in the dimension tables, and some rows are all zero.
 */
export function randomDataset(random: Random, size: Size, traits: Traits = {}): Dataset {
  const data = smallIds(random, size, traits);
  return traits.largeIds === true ? withLargeIds(random, data) : data;
}

function smallIds(random: Random, size: Size, traits: Traits): Dataset {
  const drawn = randomTables(random, traits.largeMoney === true);
  const freshness = (drawn.freshness ?? []).filter((row) => row.experience !== traits.withoutDelivery);
  const tables = { ...drawn, freshness };
  const money = randomMoney(random, size, traits);
  const places = EXPERIENCES.flatMap((experience) =>
    [11, 12, 13, 15, 16].map((advertiserId) => randomPlace(random, tables, experience, advertiserId)),
  );
  const many = (share: number, make: (place: Place) => FactRow, from = places): FactRow[] =>
    Array.from({ length: Math.round(size.rows * share) }, () => make(random.pick(from, 1.3)));
  const drawnDelivery = many(
    0.5,
    (place) => deliveryRow(random, place, size, money),
    places.filter((place) => place.advertiserId !== 15 && place.experience !== traits.withoutDelivery),
  );
  const delivery = traits.credits === true ? drawnDelivery.map(toCredit) : drawnDelivery;
  const drop = (drawn: readonly FactRow[], table: FactTable) => {
    const rows = traits.late === true ? drawn.filter((row) => isInTime(row, table)) : drawn;
    const left = traits.withoutHours === true ? dropHours(rows, table) : rows;
    return traits.unmeasured && table !== 'market' ? dropColumns(left, table) : left;
  };
  const withCustom = (rows: readonly FactRow[], table: FactTable) =>
    rows.map((row) => ({ ...row, ...customCells(table) }));
  return {
    tables: withCustomTexts(tables),
    facts: {
      delivery: drop(withCustom(delivery, 'delivery'), 'delivery'),
      conversions: drop(
        withCustom(
          many(0.3, (place) => conversionRow(random, place, size, money)),
          'conversions',
        ),
        'conversions',
      ),
      activity: drop(
        withCustom(
          many(0.1, (place) => activityRow(random, place)),
          'activity',
        ),
        'activity',
      ),
      market: drop([...marketOf(random, delivery), ...many(0.1, (place) => marketRow(random, place))], 'market'),
    },
  };
}

function randomPlace(random: Random, tables: Dataset['tables'], experience: Experience, advertiserId: number): Place {
  const own = tables.ad_groups
    .filter((adGroup) => adGroup.advertiserId === advertiserId)
    .map((adGroup) => Number(adGroup.id));
  const dates = allDates().filter(() => random.chance(0.3));
  return {
    experience,
    advertiserId,
    adGroups: [...own.slice(0, -1), UNKNOWN_AD_GROUP], // the last ad group has no facts
    dates: dates.slice(0, dates.length - random.int(random.chance(0.3) ? 25 : 10)),
  };
}

/** Advertisers 11 and 12 lack the last measure of each table on all days, and 12 the keyword of conversions. The choices are of an own seed, so that the others stay as they are. */
function dropColumns(rows: readonly FactRow[], table: FactTable): FactRow[] {
  const random = randomFrom(FACT_TABLES.indexOf(table) + 1);
  const keyRandom = randomFrom(FACT_TABLES.indexOf(table) + 11);
  const measures = fileMeasuresOf(table);
  const days = Map.groupBy(rows, ({ experience, advertiserId, date }) => `${experience}/${advertiserId}/${date}`);
  return [...days.values()].flatMap((ofDay) => {
    const always = [11, 12].includes(ofDay[0]?.advertiserId ?? 0) ? measures.slice(-1) : [];
    const unmeasured = [...always, ...(random.chance(0.2) ? random.sample(measures, 1 + random.int(3)) : [])];
    const lacksKeyword = table === 'conversions' && ofDay[0]?.advertiserId === 12;
    const keys = TABLE_KEYS[table].filter(
      (key) =>
        (ofDay[0]?.experience === 'pla' || !['keyword', 'match_type', 'search_term'].includes(key)) &&
        ((key === 'keyword' && lacksKeyword) || (!KEPT_KEYS.includes(key) && keyRandom.chance(0.12))),
    );
    const lost = new Set([...unmeasured, ...keys].map(columnName));
    const lacks = [...(ofDay[0]?.unmeasured ?? []), ...unmeasured, ...keys.map((key) => keyIn(table, key))];
    return ofDay.map((row) => ({
      ...(Object.fromEntries(Object.entries(row).filter(([name]) => !lost.has(name))) as FactRow),
      ...(lost.has('hour') ? { hour: null } : {}),
      unmeasured: [...new Set(lacks)],
    }));
  });
}

const CUSTOM_TEXTS = ['north', 'North', 'süd', null] as const;

/** @returns values of the custom fields of the table. The choices are of an own seed, so that the others stay as they are */
function customCells(table: FactTable): Record<string, string | number | null> {
  const cells: Record<string, string | number | null> = {};
  for (const [column, { tables, unit }] of CUSTOM_COLUMNS) {
    if (!tables.some((name) => name === table)) continue;
    const amount = ownRandom.int(9_000_000) / (unit === 'currency' ? 1e6 : 1e3);
    const isNegative = unit === 'currency' && ownRandom.chance(NEGATIVE_SHARE);
    const value = unit === 'count' ? ownRandom.int(20) : isNegative ? -amount : amount;
    cells[columnName(column)] = unit === 'key' ? ownRandom.pick(CUSTOM_TEXTS) : value;
  }
  return cells;
}

const ownRandom = randomFrom(99);

function withCustomTexts(tables: Dataset['tables']): Dataset['tables'] {
  const filled = Object.entries(tables).map(([table, rows]) => {
    const names = customListingColumns(table).map(({ name }) => name);
    const texts = () => Object.fromEntries(names.map((name) => [name, ownRandom.pick(CUSTOM_TEXTS)]));
    return [table, names.length === 0 ? rows : rows.map((row) => ({ ...row, ...texts() }))];
  });
  return Object.fromEntries(filled);
}

/** Activity ends before delivery in pla, and is not in toa; conversions begin after it in carousel, and end before it in toa. */
function isInTime({ experience, date }: FactRow, table: FactTable): boolean {
  if (table === 'activity') return experience === 'pla' ? date <= '2025-03-15' : experience !== 'toa';
  if (table === 'conversions' && experience === 'carousel') return date >= '2025-01-12';
  return table !== 'conversions' || experience !== 'toa' || (date >= '2024-12-20' && date <= '2025-03-10');
}

function toCredit(row: FactRow): FactRow {
  const day = Number(row.date.slice(8));
  const isLate = row.experience === 'pla' && row.date >= '2025-04-14';
  if (!isLate && day % 9 !== 4 && (day + row.advertiserId) % 7 !== 0) return row;
  return { ...row, impressions: 0, users: [] };
}

/** What every row has. */
const KEPT_KEYS: readonly string[] = ['date', 'ad_group_id'];

function dropHours(rows: readonly FactRow[], table: FactTable): FactRow[] {
  return rows.map((row) => {
    const day = Number(row.date.slice(8));
    const isWhole = day % 5 === 0 || (day + row.advertiserId + FACT_TABLES.indexOf(table)) % 11 === 0;
    const unmeasured = table === 'market' ? {} : { unmeasured: [keyIn(table, 'hour')] };
    return isWhole ? { ...row, hour: null, ...unmeasured } : row;
  });
}

function allDates(): string[] {
  const first = Date.UTC(2024, 11, 1);
  const all = Array.from({ length: 151 }, (_, at) => new Date(first + at * 86_400_000).toISOString().slice(0, 10));
  return all.filter((date) => !date.startsWith('2025-02'));
}

function sharedKeys(random: Random, place: Place) {
  return {
    experience: place.experience,
    advertiserId: place.advertiserId,
    date: random.pick(place.dates, 0.7),
    hour: random.int(24, 1.4),
    ad_group_id: random.pick(place.adGroups, 1.3),
    placement_id: random.pick([1, 2, 3, 4, UNKNOWN_PLACEMENT, null], 1.5),
    division_banner: random.pick(BANNERS),
    keyword: place.experience === 'pla' ? random.pick(KEYWORDS) : null,
    entity_id: random.chance(0.1) ? null : upcOf(random.int(10)),
    creative_key: random.pick(CREATIVES),
    // of a seed of their own, so that the other choices stay as they are
    match_type: place.experience === 'pla' ? ownRandom.pick(MATCHES) : null,
    search_term: place.experience === 'pla' ? ownRandom.pick(KEYWORDS) : null,
  };
}

/** The share of rows that are credits, corrections or returns. */
const NEGATIVE_SHARE = 0.15;

/** @returns the row with the given measures negated */
function reversed<Row extends FactRow>(row: Row, measures: readonly (keyof Row)[]): Row {
  const negated = measures.map((name) => [name, 0 - Number(row[name] ?? 0)]);
  return { ...row, ...Object.fromEntries(negated) };
}

/** Converts an amount of an ordinary network to one of the drawn network. */
type Money = (ordinary: number) => number;

/**
 * Large amounts are whole units up to 9,007,199,254, whose micros are still a safe integer; less where the sum of all rows would exceed 2^63: at most half
 * of the rows have an amount, half of the largest on average, so the sum of micros is a quarter of rows × largest.
 */
function randomMoney(random: Random, size: Size, { largeMoney }: Traits): Money {
  if (largeMoney !== true) return (ordinary) => ordinary;
  const largest = Math.min(9_007_199_254, Math.floor((4 * 2 ** 63) / 1e6 / size.rows));
  return (ordinary) => (ordinary === 0 ? 0 : largest - random.int(largest));
}

function deliveryRow(random: Random, place: Place, size: Size, money: Money): FactRow {
  const keys = sharedKeys(random, place);
  if (random.chance(0.05)) return keys;
  const impressions = random.int(400, 2);
  const clicks = random.chance(0.3) ? 0 : random.int(1 + impressions / 8);
  const video_starts = random.int(1 + impressions / 3);
  const [first = 0, second = 0, third = 0, completes = 0] = descending(random, video_starts, 4);
  const row = {
    ...keys,
    impressions,
    clicks,
    cost: money(random.chance(0.1) ? 0 : (clicks * random.int(2_000_000) + random.int(3_000_000)) / 1_000_000),
    opportunities: impressions + random.int(300),
    video_starts,
    video_pauses: random.int(5),
    video_first_quartile_views: first,
    video_second_quartile_views: second,
    video_third_quartile_views: third,
    video_completes: completes,
    measurable_impressions: Math.ceil(0.9 * impressions),
    viewable_impressions: Math.floor(0.6 * impressions),
    video_total_duration: random.int(1 + video_starts * 30_000) / 1_000,
    users: randomUsers(random, size.users, Math.min(impressions, size.usersPerRow)),
  };
  return random.chance(NEGATIVE_SHARE) ? reversed(row, ['cost']) : row;
}

function conversionRow(random: Random, place: Place, size: Size, money: Money): FactRow {
  const keys = {
    ...sharedKeys(random, place),
    conversion_source: random.pick(SOURCES),
    purchased_entity_id: random.chance(0.1) ? null : upcOf(random.int(12)),
  };
  const halo_transactions = random.int(4);
  const halo_exposed_transactions = halo_transactions + random.int(3);
  const halo_units = halo_transactions * (1 + random.int(3));
  const clicked = (halo_units * random.int(30_000_000)) / 1_000_000;
  const exposed = Math.round(clicked * 1_000_000 + random.int(40_000_000)) / 1_000_000;
  const halo_revenue = money(clicked);
  const halo_exposed_revenue = Math.max(halo_revenue, money(exposed));
  const row = {
    ...keys,
    halo_transactions,
    halo_units,
    halo_revenue,
    halo_exposed_transactions,
    halo_exposed_units: halo_units + halo_exposed_transactions,
    new_to_brand_transactions: Math.floor(halo_transactions / 2),
    new_to_brand_units: Math.floor(halo_units / 2),
    new_to_brand_revenue: Math.floor(halo_revenue / 2),
    halo_exposed_revenue,
    users: halo_exposed_transactions === 0 ? [] : randomUsers(random, size.users, size.usersPerRow),
  };
  return random.chance(NEGATIVE_SHARE) ? reversed(row, RETURNED) : row;
}

function activityRow(random: Random, place: Place): FactRow {
  const { experience, advertiserId, date, hour, ad_group_id } = sharedKeys(random, place);
  const scheduled_seconds = random.pick([0, 1800, 3600]);
  const live_seconds = random.int(scheduled_seconds + 1);
  return { experience, advertiserId, date, hour, ad_group_id, live_seconds, scheduled_seconds };
}

function marketRow(random: Random, place: Place): FactRow {
  const { experience, date, hour, placement_id, division_banner, keyword } = sharedKeys(random, place);
  const market_impressions = random.int(20_000, 2);
  const keys = { experience, advertiserId: PLATFORM_ID, date, hour, placement_id, division_banner, keyword };
  return { ...keys, market_impressions, ...advertisers(random, 0) };
}

/** Market rows for most hours and slices of the delivery: its impressions and advertisers, and those of up to six others. */
function marketOf(random: Random, delivery: readonly FactRow[]): FactRow[] {
  const cells = Map.groupBy(delivery, ({ experience, date, hour, placement_id, division_banner, keyword }) =>
    JSON.stringify([experience, date, hour, placement_id, division_banner, keyword]),
  );
  return [...cells.values()].flatMap((rows): FactRow[] => {
    const [first] = rows;
    if (first === undefined || random.chance(0.1)) return [];
    const { experience, date, hour = null, placement_id = null, division_banner = null, keyword = null } = first;
    const shown = rows.filter(({ impressions = 0 }) => impressions > 0);
    const own = shown.reduce((sum, { impressions = 0 }) => sum + impressions, 0);
    return [
      {
        ...{ experience, advertiserId: PLATFORM_ID, date, hour, placement_id, division_banner, keyword },
        market_impressions: own + random.int(2_000, 2),
        ...advertisers(random, new Set(shown.map(({ advertiserId }) => advertiserId)).size),
      },
    ];
  });
}

/** Sometimes the number is missing. */
function advertisers(random: Random, own: number): Partial<FactRow> {
  return random.chance(0.05) ? {} : { market_advertisers: own + random.int(7) };
}

/** The distribution of users is skewed, so that the same users return on other days and in other ad groups. */
function randomUsers(random: Random, universe: number, max: number): string[] {
  return Array.from({ length: random.int(max + 1) }, () => `user-${random.int(universe, 1.6)}`);
}

function descending(random: Random, from: number, count: number): number[] {
  const values: number[] = [];
  for (let at = 0; at < count; at++) values.push(random.int((values[at - 1] ?? from) + 1));
  return values;
}
