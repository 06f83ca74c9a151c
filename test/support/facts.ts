import type { CustomColumn } from '../../shared/catalog/custom-fields.ts';
import type { DimensionTable } from '../../shared/catalog/definitions.ts';
import type { DayColumn, Experience, FactTable, KeyColumn, Measure } from '../../shared/catalog/tables.ts';
import type { KeyValue } from '../../shared/columns/column.ts';
import { PLATFORM_ID } from '../../shared/layout/partitions.ts';

/** A cell of a dimension table. A list is unsorted: it is sorted and joined when it is stored. */
export type Cell = string | number | null | readonly string[] | readonly number[];

/**
 * A row of a dimension table: the columns of DIMENSION_COLUMNS (absent ones are null), and `advertiserId` where each advertiser has its own table. Rows
 * of freshness need no key.
 */
export type DimensionRow = Readonly<Record<string, Cell>>;

/**
 * One fact row. Measures are in loaded units (currency units, seconds). An absent measure is 0, and an absent key is null.
 * Market rows belong to the platform.
 */
export type FactRow = {
  readonly experience: Experience;
  readonly advertiserId: number;
  readonly date: string;
  readonly users?: readonly string[];
  /** What the files of the day lack; the same in all rows of an advertiser, experience, table and day. */
  readonly unmeasured?: readonly DayColumn[];
} & Partial<Readonly<Record<Exclude<KeyColumn, 'date' | CustomColumn>, KeyValue>>> &
  Partial<Readonly<Record<Exclude<Measure, CustomColumn>, number>>>;

/**
 * All data of a network, as the loader reads it. Rows of `freshness` are `{experience, advertiserId?, table?, completeThrough}`; a row without advertiser is for
 * all advertisers without a row of their own, or for the fact table.
 */
export interface Dataset {
  readonly tables: Readonly<Record<DimensionTable, readonly DimensionRow[]>>;
  readonly facts: Readonly<Record<FactTable, readonly FactRow[]>>;
}

/** The parts of a dataset that matter to an example. */
export type DatasetParts = Partial<Readonly<Record<DimensionTable, readonly DimensionRow[]>>> &
  Partial<Readonly<Record<FactTable, readonly (Partial<FactRow> & { readonly date: string })[]>>>;

const DEFAULT_TABLES: Readonly<Record<DimensionTable, readonly DimensionRow[]>> = {
  accounts: [{ id: 1, name: 'Acme' }],
  advertisers: [{ id: 1, name: 'Acme Foods', accountId: 1, accountIds: [1] }],
  placements: [
    { id: 1, name: 'Search' },
    { id: 2, name: 'Home' },
  ],
  campaigns: [{ id: 10, advertiserId: 1, name: 'Spring', status: 'ACTIVE', startDate: '2025-01-01' }],
  ad_groups: [
    { id: 1, advertiserId: 1, campaignId: 10, name: 'One', status: 'ACTIVE' },
    { id: 2, advertiserId: 1, campaignId: 10, name: 'Two', status: 'ACTIVE' },
  ],
  creatives: [],
  insertion_orders: [],
  products: [],
  freshness: [],
};

/**
 * @param parts fact rows, and dimension tables that replace the default ones. Facts are by default in pla, at hour 0, of ad group 1 of advertiser 1; delivery has an impression.
 * @returns a small network: by default one account, advertiser 1 with campaign 10 and its ad groups 1 and 2, placements 1 (Search) and 2 (Home)
 * @example dataset({ delivery: [{ date: '2025-03-01', ad_group_id: 2, impressions: 5 }] })
 */
export function dataset(parts: DatasetParts): Dataset {
  const own = { experience: 'pla', advertiserId: 1, hour: 0, ad_group_id: 1 } as const;
  const everyone = { experience: 'pla', advertiserId: PLATFORM_ID, hour: 0 } as const;
  return {
    tables: { ...DEFAULT_TABLES, ...tablesOf(parts) },
    facts: {
      delivery: (parts.delivery ?? []).map((row) => ({ ...own, impressions: 1, ...row })),
      conversions: (parts.conversions ?? []).map((row) => ({ ...own, ...row })),
      activity: (parts.activity ?? []).map((row) => ({ ...own, ...row })),
      market: (parts.market ?? []).map((row) => ({ ...everyone, ...row })),
    },
  };
}

function tablesOf(parts: DatasetParts): Partial<Record<DimensionTable, readonly DimensionRow[]>> {
  const { delivery: _delivery, conversions: _conversions, activity: _activity, market: _market, ...tables } = parts;
  return tables;
}
