import { type BaseColumn, FACT_TABLES, type FactTable, tableHas } from '../catalog/tables.ts';

/** A kind of rollup: the facts of a month, summed in advance. */
export interface Grain {
  /** The key besides the day. */
  readonly key: 'ad_group_id' | 'advertiser';
  /** With more rows, its measures are stored separately, because a report reads few of them. An item then has about 4 KB, the unit of reads. */
  readonly maxPackedRows: number;
}

/** The rollup of one advertiser, experience and month, with shoppers. */
export const OF_ADVERTISER: Grain = { key: 'ad_group_id', maxPackedRows: 8_000 };

/** The rollup of a shard of advertisers, without shoppers. Sums of an advertiser and day have more digits: of 500 rows, all measures take about 7 KB together. */
export const OF_SHARD: Grain = { key: 'advertiser', maxPackedRows: 500 };

/** Maximum advertisers of a shard: a load of one of them rewrites the months that it changes for the whole shard, and a report of many reads some items per shard. */
export const MAX_SHARD_ADVERTISERS = 128;

/** The fact tables that rollups have. Market is not one: which of its rows count depends on the caller, so it cannot be summed in advance. */
export const ROLLUP_TABLES: readonly FactTable[] = FACT_TABLES.filter((table) => tableHas(table, OF_ADVERTISER.key));

const BASES: ReadonlySet<BaseColumn> = new Set<BaseColumn>(['date', 'advertiser', 'experience', 'ad_group_id']);

/** @returns whether the rollup of an advertiser can be broken down by all of `bases` */
export function hasRollupKeys(bases: readonly BaseColumn[]): boolean {
  return bases.every((base) => BASES.has(base));
}
