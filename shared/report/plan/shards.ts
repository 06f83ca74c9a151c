import { columnOf, type Experience, isOptional } from '../../catalog/tables.ts';
import { ownPackOf } from '../../columns/pack.ts';
import { type AdvertiserShard, type FactHead, PLATFORM_ID, type RollupRead } from '../../layout/partitions.ts';
import type { ReportScope } from '../query/query.ts';
import { isConstant, measuresOf, monthsOf, type Plan, type TableScan } from './plan-report.ts';
import { type HeadContext, readHeads } from './read-heads.ts';

/** Fewer advertisers are read one by one. A month of a full shard takes 3 read units with four measures, as many as the rollups of six advertisers. */
const MIN_ADVERTISERS = 16;

/** A rollup to read, and the scans that read it. */
export interface ScannedRollup extends RollupRead {
  readonly scans: readonly TableScan[];
  /** Of the rollup of a shard: the advertisers whose rows are counted. */
  readonly advertiserIds?: ReadonlySet<number>;
}

/** A shard that is read instead of the facts of some of its advertisers. */
interface ShardRead {
  readonly shard: AdvertiserShard;
  /** The advertisers of the report that are in the shard. */
  readonly advertiserIds: readonly number[];
}

/** What a plan is made from: heads of the advertisers that are read one by one and of the platform, and shards of the others. */
export interface FactSources {
  readonly heads: ReadonlyMap<number, FactHead>;
  readonly shards: readonly ShardRead[];
}

/**
 * Chooses how to read the facts of the report's advertisers. The choice depends on how many of a shard's advertisers are in the report, and not on
 * facts of others.
 * @param plans all plans of the report
 */
export async function openFacts(
  context: HeadContext,
  plans: readonly Plan[],
  { advertiserIds }: ReportScope,
): Promise<FactSources> {
  const mayUseShards = advertiserIds.length >= MIN_ADVERTISERS && plans.every(isOverview);
  const sums = plans.flatMap(({ scans }) => scans.flatMap((scan) => scan.sums));
  const measured = sums.flatMap(({ measure, experiences }) =>
    experiences.map((name) => `${name}/${columnOf(measure)}`),
  );
  const shards = mayUseShards ? chooseShards(await context.source.advertiserShards(), advertiserIds, measured) : [];
  const sharded = new Set(shards.flatMap((read) => read.advertiserIds));
  const others = advertiserIds.filter((id) => !sharded.has(id));
  return { shards, heads: await readHeads(context, plans, [...others, PLATFORM_ID]) };
}

/** @returns whether the rollup of a shard has all that the plan needs: it has no ad groups and no shoppers, and does not say who lacks what few have */
function isOverview({ axes, rowConditions, scans, attributes, planned, market }: Plan): boolean {
  if (attributes || market || planned !== undefined || scans.some(({ shoppers }) => shoppers)) return false;
  if (scans.some(({ sums }) => sums.some(({ measure }) => isOptional(measure)))) return false;
  return [...axes, ...rowConditions].every(({ base }) => isConstant(base));
}

/** @param measured what reports read; advertisers some of whose days lack it are read one by one, because rollups of shards do not say which days */
function chooseShards(
  shards: readonly AdvertiserShard[],
  advertiserIds: readonly number[],
  measured: readonly string[],
): ShardRead[] {
  const wanted = new Set(advertiserIds);
  const lacks = ({ unmeasured }: AdvertiserShard, id: number) => measured.some((name) => unmeasured.get(id)?.has(name));
  return shards
    .map((shard) => ({ shard, advertiserIds: shard.advertiserIds.filter((id) => wanted.has(id) && !lacks(shard, id)) }))
    .filter((read) => read.advertiserIds.length >= MIN_ADVERTISERS);
}

/** @returns the columns of a rollup that may have the scan's measures outside of its pack */
export function rollupColumnsOf(plan: Plan, scan: TableScan, experience: Experience): string[] {
  const measures = measuresOf(plan, scan, experience);
  const packs = new Set(measures.flatMap((name) => ownPackOf(name) ?? []));
  return [...measures, ...packs].map((name) => `${scan.table}/${name}`);
}

/**
 * @param passing the advertisers that pass the report's conditions
 * @returns the rollups of the shards to read in the months of the period
 */
export function rollupsOfShards(
  plan: Plan,
  shards: readonly ShardRead[],
  passing: ReadonlySet<number>,
): ScannedRollup[] {
  return shards.flatMap(({ shard: { shard, rollups }, advertiserIds }) => {
    const counted = new Set(advertiserIds).intersection(passing);
    if (counted.size === 0) return [];
    return monthsOf(plan).flatMap(({ experience, month }): ScannedRollup[] => {
      const entry = rollups.get(experience)?.get(month);
      const present = plan.scans.filter(({ table }) => entry?.rows.has(table));
      if (entry === undefined || present.length === 0) return [];
      const columns = present.flatMap((scan) => rollupColumnsOf(plan, scan, experience));
      const ref = { shard, experience, month };
      return [{ ref, entry, columns, scans: present, advertiserIds: counted }];
    });
  });
}
