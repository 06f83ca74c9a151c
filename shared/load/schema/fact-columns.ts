import { CUSTOM_COLUMNS, type CustomColumn, customName, isCustom } from '../../catalog/custom-fields.ts';
import { columnHasValues } from '../../catalog/rules.ts';
import {
  EXPERIENCES,
  type Experience,
  type FactTable,
  type FileMeasure,
  fileMeasuresOf,
  type KeyColumn,
  type Measure,
  measureOf,
  measuresOf,
  SIGNED_MEASURES,
  TABLE_KEYS,
  TABLES_WITH_SHOPPERS,
  type TableWithShoppers,
} from '../../catalog/tables.ts';
import { SHOPPERS_COLUMN } from '../../columns/column.ts';
import type { ColumnSpec } from './file-columns.ts';
import type { ScaledType } from './parse-value.ts';
import { COUNT, DATE, HOUR, ID, ID_TEXT, list, NAME, SIGNED_COUNT, TEXT, UPC } from './value-types.ts';

/** A column of a fact file: one of the table's keys, one of its measures, or the users. */
export type FactColumn = ColumnSpec &
  (
    | { readonly role: 'key'; readonly key: KeyColumn }
    | { readonly role: 'measure'; readonly measure: Measure; readonly type: ScaledType }
    | { readonly role: 'users' }
  );

const KEY_SPECS: Readonly<Record<Exclude<KeyColumn, CustomColumn>, ColumnSpec>> = {
  date: { name: 'daily_date', type: DATE, required: true, about: 'Day in the platform’s time zone.' },
  hour: {
    name: 'hour',
    type: HOUR,
    required: 'in all rows or none',
    about:
      'Hour of the day in the platform’s time zone, or when it begins, with the offset: 2026-11-01T01:00-05:00. Without the column, days have no hours.',
  },
  ad_group_id: {
    name: 'ad_group_id',
    type: ID,
    required: true,
    refers: 'ad_groups',
    about: 'The ad group; it decides campaign and advertiser.',
  },
  placement_id: { name: 'placement_id', type: ID, refers: 'placements', about: 'The placement.' },
  division_banner: {
    name: 'division_banner',
    type: TEXT,
    about: 'Store banner of the retailer’s division: the name on its stores.',
  },
  keyword: { name: 'keyword', type: { ...NAME, hasBreaks: true }, about: 'Search keyword; in pla only.' },
  entity_id: {
    name: 'entity_id',
    type: UPC,
    about: 'UPC of the advertised product, left-padded with zeros to 13 digits.',
  },
  creative_key: { name: 'creative_key', type: ID_TEXT, about: 'The creative.' },
  match_type: { name: 'match_type', type: TEXT, about: 'How the keyword was matched, such as EXACT; in pla only.' },
  search_term: {
    name: 'search_term',
    type: { ...NAME, hasBreaks: true },
    about: 'What the shopper searched for; in pla only.',
  },
  conversion_source: {
    name: 'conversion_source',
    type: TEXT,
    about: 'Where the purchase was made, such as ONLINE or IN_STORE.',
  },
  purchased_entity_id: {
    name: 'purchased_entity_id',
    type: UPC,
    about: 'UPC of the purchased product, left-padded with zeros to 13 digits.',
  },
};

const MEASURE_ABOUT: Readonly<Record<Exclude<FileMeasure, CustomColumn>, string>> = {
  impressions: 'Impressions',
  clicks: 'Clicks',
  cost: 'Cost in currency units',
  opportunities: 'Auctions or page views in which the ad group could have been shown',
  video_starts: 'Videos started',
  video_pauses: 'Videos paused',
  video_first_quartile_views: 'Videos seen to a quarter',
  video_second_quartile_views: 'Videos seen to the half',
  video_third_quartile_views: 'Videos seen to three quarters',
  video_completes: 'Videos seen to the end',
  video_total_duration: 'Seconds of video seen, to the millisecond',
  measurable_impressions: 'Impressions whose viewability could be measured; at most impressions',
  viewable_impressions: 'Impressions that were viewable (MRC); at most measurable_impressions',
  halo_transactions: 'Transactions attributed to a click',
  halo_units: 'Units attributed to a click',
  halo_revenue: 'Revenue attributed to a click, in currency units',
  halo_exposed_transactions:
    'Transactions attributed to a click or an impression; at least halo_transactions unless negative',
  halo_exposed_units: 'Units attributed to a click or an impression; at least halo_units unless negative',
  halo_exposed_revenue: 'Revenue attributed to a click or an impression; at least halo_revenue unless negative',
  new_to_brand_transactions: 'Part of halo_transactions: of buyers who are new to the brand',
  new_to_brand_units: 'Part of halo_units: of buyers who are new to the brand',
  new_to_brand_revenue: 'Part of halo_revenue: of buyers who are new to the brand, in currency units',
  live_seconds: 'Seconds the ad group was live in the hour, or on a day without hours',
  scheduled_seconds: 'Seconds the ad group was scheduled in the hour, or on a day without hours',
  market_impressions: 'Impressions of all advertisers',
  market_advertisers:
    'Number of distinct advertisers with impressions in the row. Without it, share_of_voice leaves the row out, unless the setting marketMinOthers is 0. Of rows with equal keys the largest counts',
};

/** Measures whose column has another name in the files. */
const FILE_NAMES: Partial<Readonly<Record<Measure, string>>> = {
  market_impressions: 'impressions',
  market_advertisers: 'advertisers',
};

const SHOPPERS_ABOUT: Readonly<Record<TableWithShoppers, string>> = {
  delivery: 'Ids of the shoppers reached, any text; stored only as hashes.',
  conversions: 'Ids of the shoppers with at least one exposed transaction, any text; stored only as hashes.',
};

/** The key columns that a fact row is stored in; it is stored under its date. */
type StoredKey = Exclude<KeyColumn, 'date'>;

/** The columns that a fact row is stored in. */
export interface StoredColumns {
  readonly keys: readonly StoredKey[];
  readonly measures: readonly Measure[];
  readonly hasShoppers: boolean;
}

/** @returns the stored columns of a fact table. */
export function storedColumns(table: FactTable): StoredColumns {
  const columns = factColumns(table);
  return {
    keys: columns.flatMap((column) => (column.role === 'key' && column.key !== 'date' ? [column.key] : [])),
    // without those that only other days have
    measures: measuresOf(table).filter((name) => !isCustom(name) || CUSTOM_COLUMNS.has(name)),
    hasShoppers: columns.some((column) => column.role === 'users'),
  };
}

/** @returns the columns of a fact table's files: keys, measures, users, in the order they are documented. */
export function factColumns(table: FactTable): readonly FactColumn[] {
  return FACT_COLUMNS[table];
}

/** Pairs of measures, of which the smaller must not exceed the greater in a row unless that is negative: what is attributed to a click is also attributed to a click or an impression. */
export const BOUNDED_BY: readonly (readonly [smaller: Measure, greater: Measure])[] = [
  ['halo_transactions', 'halo_exposed_transactions'],
  ['halo_units', 'halo_exposed_units'],
  ['halo_revenue', 'halo_exposed_revenue'],
];

/** Pairs of measures, of which the part is expected to be at most the whole on a day: otherwise a load warns. */
export const PARTS_OF: readonly (readonly [part: Measure, whole: Measure])[] = [
  ['measurable_impressions', 'impressions'],
  ['viewable_impressions', 'measurable_impressions'],
  ['new_to_brand_transactions', 'halo_transactions'],
  ['new_to_brand_units', 'halo_units'],
  ['new_to_brand_revenue', 'halo_revenue'],
];

/** @returns why `key` must not have values in the experience; undefined if it may. */
export function explainForbiddenColumn(key: KeyColumn, experience: Experience): string | undefined {
  if (columnHasValues(key, experience)) return undefined;
  return `has values in ${EXPERIENCES.filter((other) => columnHasValues(key, other)).join(' and ')} only`;
}

function columnsOf(table: FactTable): FactColumn[] {
  const keys = TABLE_KEYS[table].map((key): FactColumn => {
    const spec = isCustom(key) ? { name: customName(key), type: TEXT, about: 'Custom field.' } : KEY_SPECS[key];
    return { ...spec, role: 'key', key };
  });
  const measures = fileMeasuresOf(table).map((measure): FactColumn => {
    const given = {
      name: isCustom(measure) ? customName(measure) : (FILE_NAMES[measure] ?? measure),
      type: measureType(measure, measureOf(measure).scale),
      about: isCustom(measure) ? 'Custom field.' : `${MEASURE_ABOUT[measure]}.`,
    };
    const presence = measure === 'market_impressions' ? { required: true as const } : { default: 0 };
    return { ...given, ...presence, role: 'measure', measure };
  });
  const users = TABLES_WITH_SHOPPERS.filter((name) => name === table).map(
    (name): FactColumn => ({ name: SHOPPERS_COLUMN, type: list(ID_TEXT), about: SHOPPERS_ABOUT[name], role: 'users' }),
  );
  return [...keys, ...measures, ...users];
}

/** @returns integer if the measure is stored unscaled, otherwise decimal with as many places as its scale has zeros */
function measureType(measure: Measure, scale: number): ScaledType {
  const isSigned = SIGNED_MEASURES.has(measure);
  if (scale === 1) return isSigned ? SIGNED_COUNT : COUNT;
  return { kind: 'decimal', places: Math.round(Math.log10(scale)), ...(isSigned ? { isSigned } : {}) };
}

const FACT_COLUMNS: Readonly<Record<FactTable, readonly FactColumn[]>> = {
  delivery: columnsOf('delivery'),
  conversions: columnsOf('conversions'),
  activity: columnsOf('activity'),
  market: columnsOf('market'),
};
