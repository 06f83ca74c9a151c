/** The experiences an advertising report can be asked for, lower case as stored. */
export const EXPERIENCES = ['pla', 'toa', 'carousel'] as const;
export type Experience = (typeof EXPERIENCES)[number];

/** The four fact tables (DESIGN: delivery, conversions, activity, market). */
export const FACT_TABLES = ['delivery', 'conversions', 'activity', 'market'] as const;
export type FactTable = (typeof FACT_TABLES)[number];

const DELIVERY_KEYS = [
  'date',
  'hour',
  'ad_group_id',
  'placement_id',
  'division_banner',
  'keyword',
  'entity_id',
  'creative_key',
] as const;

/** Key columns a fact row may carry. `date` is the segment's own; `advertiser` and `experience` belong to the partition. */
export const KEY_COLUMNS = [...DELIVERY_KEYS, 'conversion_source', 'purchased_entity_id'] as const;
export type KeyColumn = (typeof KEY_COLUMNS)[number];

/** What a dimension's value is looked up from: a key column of the fact row, or what the whole partition shares. */
export type BaseColumn = KeyColumn | 'advertiser' | 'experience';

/** The key columns of each fact table, in the order files and rows list them. */
export const TABLE_KEYS: Readonly<Record<FactTable, readonly KeyColumn[]>> = {
  delivery: DELIVERY_KEYS,
  conversions: KEY_COLUMNS,
  activity: ['date', 'hour', 'ad_group_id'],
  market: ['date', 'hour', 'placement_id', 'division_banner', 'keyword'],
};

/**
 * The summable columns of each fact table with the integer scale they are stored at: a stored value is the loaded value × scale,
 * always an integer, so sums are exact. 1,000,000 = micros of the currency unit; 1,000 = milliseconds.
 */
export const TABLE_MEASURES = {
  delivery: {
    impressions: 1,
    clicks: 1,
    cost: 1_000_000,
    opportunities: 1,
    video_starts: 1,
    video_pauses: 1,
    video_first_quartile_views: 1,
    video_second_quartile_views: 1,
    video_third_quartile_views: 1,
    video_completes: 1,
    video_total_duration: 1_000,
  },
  conversions: {
    halo_transactions: 1,
    halo_units: 1,
    halo_revenue: 1_000_000,
    halo_exposed_transactions: 1,
    halo_exposed_units: 1,
    halo_exposed_revenue: 1_000_000,
  },
  activity: { live_seconds: 1, scheduled_seconds: 1 },
  market: { market_impressions: 1 },
} as const satisfies Readonly<Record<FactTable, Readonly<Record<string, number>>>>;

/** A summable column of one of the fact tables; names are unique across the tables. */
export type Measure = { [T in FactTable]: keyof (typeof TABLE_MEASURES)[T] }[FactTable];

const TABLE_OF_MEASURE = new Map<Measure, { table: FactTable; scale: number }>();
for (const table of FACT_TABLES) {
  for (const [measure, scale] of Object.entries(TABLE_MEASURES[table])) {
    TABLE_OF_MEASURE.set(measure as Measure, { table, scale }); // keys of TABLE_MEASURES are the Measure union itself
  }
}

/** @returns the fact table that holds `measure`, and the integer scale it is stored at. */
export function measureHome(measure: Measure): { readonly table: FactTable; readonly scale: number } {
  const home = TABLE_OF_MEASURE.get(measure);
  if (home === undefined) throw new Error(`no fact table holds the measure ${measure}`);
  return home;
}

/** The fact tables whose rows carry user ids, for the distinct metrics. */
export const TABLES_WITH_USERS = ['delivery', 'conversions'] as const satisfies readonly FactTable[];

/** @returns whether rows of `table` can be broken down by `base`. */
export function tableHas(table: FactTable, base: BaseColumn): boolean {
  if (base === 'experience') return true;
  if (base === 'advertiser') return table !== 'market';
  return TABLE_KEYS[table].includes(base);
}
