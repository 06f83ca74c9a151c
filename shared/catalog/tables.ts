import { keysOf } from '../lib/keys-of.ts';
import { type ColumnKind, CUSTOM_COLUMNS, type CustomColumn, isCustom } from './custom-fields.ts';

/** The advertising experiences, as they are stored (lower case). */
export const EXPERIENCES = ['pla', 'toa', 'carousel'] as const;
export type Experience = (typeof EXPERIENCES)[number];

/** What a report covers: one experience, or all of them together. */
export const REPORT_EXPERIENCES = [...EXPERIENCES, 'all'] as const;
export type ReportExperience = (typeof REPORT_EXPERIENCES)[number];

/** @returns the experiences that the report covers */
export function experiencesIn(name: ReportExperience): readonly Experience[] {
  return name === 'all' ? EXPERIENCES : [name];
}

/** The fact tables. Each of the first three belongs to an advertiser, market to the platform. */
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
  'match_type',
  'search_term',
] as const;

const CONVERSION_KEYS = [...DELIVERY_KEYS, 'conversion_source', 'purchased_entity_id'] as const;

/** The key columns that a fact row may have. `date` is constant within a segment; advertiser and experience are constant within a partition. */
export const KEY_COLUMNS = CONVERSION_KEYS;
export type KeyColumn = (typeof KEY_COLUMNS)[number] | CustomColumn;

/** The column that a dimension is computed from: a key column of the fact row, or the advertiser or experience of its partition. */
export type BaseColumn = KeyColumn | 'advertiser' | 'experience';

/** The key columns of each fact table, in the order in which they are documented. */
const KEYS_OF: Readonly<Record<FactTable, KeyColumn[]>> = {
  delivery: [...DELIVERY_KEYS],
  conversions: [...CONVERSION_KEYS],
  activity: ['date', 'hour', 'ad_group_id'],
  market: ['date', 'hour', 'placement_id', 'division_banner', 'keyword'],
};
export const TABLE_KEYS: Readonly<Record<FactTable, readonly KeyColumn[]>> = KEYS_OF;

/**
 * The measures of each fact table with their scale. A stored value is the loaded value × scale and always an integer, so that sums are
 * exact. Scale 1,000,000: micros of the currency unit. Scale 1,000: milliseconds.
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
    measurable_impressions: 1,
    viewable_impressions: 1,
    unidentified_impressions: 1,
  },
  conversions: {
    halo_transactions: 1,
    halo_units: 1,
    halo_revenue: 1_000_000,
    halo_exposed_transactions: 1,
    halo_exposed_units: 1,
    halo_exposed_revenue: 1_000_000,
    new_to_brand_transactions: 1,
    new_to_brand_units: 1,
    new_to_brand_revenue: 1_000_000,
    direct_transactions: 1,
    direct_units: 1,
    direct_revenue: 1_000_000,
    direct_exposed_transactions: 1,
    direct_exposed_units: 1,
    direct_exposed_revenue: 1_000_000,
    other_transactions: 1,
    other_units: 1,
    other_revenue: 1_000_000,
    other_exposed_transactions: 1,
    other_exposed_units: 1,
    other_exposed_revenue: 1_000_000,
    unidentified_transactions: 1,
  },
  activity: { live_seconds: 1, scheduled_seconds: 1 },
  market: { market_impressions: 1, market_advertisers: 1 },
} as const satisfies Readonly<Record<FactTable, Readonly<Record<string, number>>>>;

/** A numeric column of a fact table. Names are unique across the tables. */
export type Measure = { [T in FactTable]: keyof (typeof TABLE_MEASURES)[T] }[FactTable] | CustomColumn;

const PURCHASES = ['transactions', 'units', 'revenue'] as const;
type Purchase = (typeof PURCHASES)[number] | `exposed_${(typeof PURCHASES)[number]}`;

/** The measures that a load splits by the purchased product: `direct` is of the advertised product, `other` of other products. */
export const SPLIT_MEASURES = PURCHASES.flatMap((name): Purchase[] => [name, `exposed_${name}`]).map(
  (name) => ({ whole: `halo_${name}`, direct: `direct_${name}`, other: `other_${name}` }) as const,
);

/** The fact tables whose rows have shopper ids, for the distinct metrics, and the measure that is the part of another in rows without ids. */
export const UNIDENTIFIED = {
  delivery: { part: 'unidentified_impressions', whole: 'impressions' },
  conversions: { part: 'unidentified_transactions', whole: 'halo_exposed_transactions' },
} as const;
export type TableWithShoppers = keyof typeof UNIDENTIFIED;
export const TABLES_WITH_SHOPPERS = keysOf(UNIDENTIFIED);

/** A measure that a load derives from a column of the fact files. */
type DerivedMeasure = `${'direct' | 'other'}_${Purchase}` | (typeof UNIDENTIFIED)[TableWithShoppers]['part'];

/** A measure that a column of the fact files has. */
export type FileMeasure = Exclude<Measure, DerivedMeasure>;

/** The derived measures, each with the one that it is a part of. A segment in which all of a list are 0 lacks them. */
export const DERIVED_MEASURES: readonly (readonly { readonly part: DerivedMeasure; readonly whole: FileMeasure }[])[] =
  [
    SPLIT_MEASURES.flatMap(({ whole, direct, other }) => [direct, other].map((part) => ({ part, whole }))),
    ...TABLES_WITH_SHOPPERS.map((table) => [UNIDENTIFIED[table]]),
  ];
const WHOLES: ReadonlyMap<string, FileMeasure> = new Map(
  DERIVED_MEASURES.flat().map(({ part, whole }) => [part, whole]),
);

/** @returns what the measure is a part of, with both parts; undefined for a measure that is not split */
export function splitOf(measure: string): (typeof SPLIT_MEASURES)[number] | undefined {
  return SPLIT_MEASURES.find(({ direct, other }) => measure === direct || measure === other);
}

/** @returns whether the column is a derived measure: where a segment lacks it, it is 0 */
export const isDerived = (column: string): boolean => WHOLES.has(column);

/** @returns what the sum of the measure is judged by: of a part of purchases both parts and the whole, because it is unknown where both are 0 and the whole is not */
export function withParts(measure: Measure): readonly Measure[] {
  const split = splitOf(measure);
  return split === undefined ? [measure] : Object.values(split);
}

/** @returns the column of the fact files that the column is, or is a part of */
export function columnOf(column: DayColumn): DayColumn {
  return WHOLES.get(column) ?? column;
}

/**
 * The measures whose largest value is kept, not the sum, when rows with equal keys become one. Numbers of distinct advertisers cannot be added up; the
 * largest is a lower bound of the number of all distinct ones.
 */
export const LARGEST_MEASURES: ReadonlySet<Measure> = new Set(['market_advertisers']);

/** The measures that may be negative in a row: credits, corrections of invalid clicks, and returns. */
export const SIGNED_MEASURES: ReadonlySet<Measure> = new Set([
  'cost',
  ...keysOf(TABLE_MEASURES.conversions),
  ...[...CUSTOM_COLUMNS].flatMap(([column, { unit, tables }]) =>
    unit === 'currency' || (unit !== 'key' && tables.includes('conversions')) ? [column] : [],
  ),
]);

/** Columns that few networks have: they are stored so that reports and networks without them read no more. */
const OPTIONAL: ReadonlySet<string> = new Set<FileMeasure | KeyColumn>([
  ...(['match_type', 'search_term'] as const),
  ...(['measurable_impressions', 'viewable_impressions'] as const),
  ...(['new_to_brand_transactions', 'new_to_brand_units', 'new_to_brand_revenue'] as const),
]);
export const isOptional = (column: string): boolean => {
  const name = column.slice(column.indexOf('/') + 1);
  return OPTIONAL.has(name) || isCustom(name);
};

const MEASURES = new Map<Measure, { table: FactTable; scale: number }>();
for (const table of FACT_TABLES) {
  const scales: Readonly<Partial<Record<Measure, number>>> = TABLE_MEASURES[table];
  for (const measure of keysOf(TABLE_MEASURES[table])) MEASURES.set(measure, { table, scale: scales[measure] ?? 1 });
}

const SCALES = { count: 1, currency: 1_000_000, seconds: 1_000 } as const;

/** Adds columns of custom fields. A load also adds those that its table has, and that are no longer declared: other days keep them. */
export function addColumns(columns: ReadonlyMap<CustomColumn, ColumnKind>): void {
  for (const [column, { tables, unit }] of columns)
    for (const table of tables) {
      if (unit !== 'key') MEASURES.set(column, { table, scale: SCALES[unit] });
      else if (!KEYS_OF[table].includes(column)) KEYS_OF[table].push(column);
      const name = unit === 'key' ? keyIn(table, column) : column;
      if (!ALL_DAY_COLUMNS.includes(name)) ALL_DAY_COLUMNS.push(name);
    }
}
/** @returns the measures of the table, in the order in which they are documented */
export function measuresOf(table: FactTable): readonly Measure[] {
  return [...MEASURES].flatMap(([measure, definition]) => (definition.table === table ? [measure] : []));
}

/** @returns those of `measuresOf` that columns of the fact files have */
export function fileMeasuresOf(table: FactTable): readonly FileMeasure[] {
  return measuresOf(table).filter((measure): measure is FileMeasure => !isDerived(measure));
}

/** @returns the fact table that has the measure, and its integer scale. @throws Error if no table has the measure */
export function measureOf(measure: Measure): { readonly table: FactTable; readonly scale: number } {
  const definition = MEASURES.get(measure);
  if (definition === undefined) throw new Error(`no fact table has the measure ${measure}`);
  return definition;
}

/** What the files of a day may lack: a measure, or a key column of a fact table. */
export type DayColumn = Measure | `${FactTable}/${KeyColumn}`;

/** @returns the name of the table's key column among what its days may lack */
export function keyIn(table: FactTable, key: BaseColumn): DayColumn {
  return `${table}/${key as KeyColumn}`; // days of a table lack only columns that it has
}

const ALL_DAY_COLUMNS: DayColumn[] = [
  ...FACT_TABLES.flatMap(fileMeasuresOf),
  ...FACT_TABLES.flatMap((table) => TABLE_KEYS[table].map((key) => keyIn(table, key))),
  ...TABLES_WITH_SHOPPERS.map((table) => UNIDENTIFIED[table].part),
];
/** All that the files of a day may lack. */
export const DAY_COLUMNS: readonly DayColumn[] = ALL_DAY_COLUMNS;
addColumns(CUSTOM_COLUMNS);

export function isKeyIn(table: FactTable, column: DayColumn): column is `${FactTable}/${KeyColumn}` {
  return column.startsWith(`${table}/`);
}

/** @returns the fact table that has the column */
export function tableOf(column: DayColumn): FactTable {
  return FACT_TABLES.find((table) => isKeyIn(table, column)) ?? measureOf(column as Measure).table; // else it is a measure
}

/** What makes rows of reports: fact tables, and the planned cost of ad groups and campaigns by day. */
export type RowSource = FactTable | 'plan';

/** @returns whether rows of `table` can be broken down by `base` */
export function tableHas(table: RowSource, base: BaseColumn): boolean {
  if (base === 'experience') return true;
  if (base === 'advertiser') return table !== 'market';
  if (table === 'plan') return base === 'date' || base === 'ad_group_id';
  return TABLE_KEYS[table].includes(base);
}
