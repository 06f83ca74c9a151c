import { type BaseColumn, FACT_TABLES, type FactTable, tableHas } from '../catalog/tables.ts';

/** The key besides the day by which facts of a month are summed in advance. */
export type RollupKey = 'ad_group_id' | 'advertiser';

/** The rollup of one advertiser, experience and month is by ad group and day, with shoppers. */
export const ROLLUP_KEY: RollupKey = 'ad_group_id';

/** The rollup of a shard of advertisers is by advertiser and day, without shoppers. */
export const SHARD_KEY: RollupKey = 'advertiser';

/** Maximum advertisers of a shard: a load of one of them rewrites the months that it changes for the whole shard, and a report of many reads some items per shard. */
export const MAX_SHARD_ADVERTISERS = 128;

/** The fact tables that rollups have. Market is not one: which of its rows count depends on the caller, so it cannot be summed in advance. */
export const ROLLUP_TABLES: readonly FactTable[] = FACT_TABLES.filter((table) => tableHas(table, ROLLUP_KEY));

const BASES: ReadonlySet<BaseColumn> = new Set<BaseColumn>(['date', 'advertiser', 'experience', 'ad_group_id']);

/** @returns whether the rollup of an advertiser can be broken down by all of `bases` */
export function hasRollupKeys(bases: readonly BaseColumn[]): boolean {
  return bases.every((base) => BASES.has(base));
}
