import type { FactHead } from '../catalog/partitions.ts';
import type { SegmentSource } from '../catalog/segment-source.ts';
import { type BaseColumn, type Measure, tableHas } from '../catalog/tables.ts';
import { type Cube, cubesOf } from '../columns/rollup.ts';
import type { Joins } from './plan/joins.ts';
import {
  cubeHas,
  inWindow,
  type PartitionRead,
  partitionsOf,
  type RollupRead,
  readDays,
  rollupsOf,
  storedColumns,
} from './plan/plan-reads.ts';
import type { Plan, RowCondition } from './plan/plan-report.ts';
import { Accumulators } from './scan/accumulate.ts';
import { RowGrouper } from './scan/group-rows.ts';
import { GroupTable } from './scan/group-table.ts';
import { readCubes } from './scan/read-rollups.ts';
import { readPartitions } from './scan/read-segments.ts';
import type { GroupedFacts, ScanContext } from './scan/scan-facts.ts';
import type { Segment } from './scan/segment.ts';
import { selectRows } from './scan/select-rows.ts';
import { divide, type ExactInteger } from './sums/exact-numbers.ts';
import { exactSums, foldSums } from './sums/group-sums.ts';

/** A report's share of voice: own impressions / impressions of all advertisers in the same slice of the market. */
export interface MarketShares {
  /** @returns the share of one group; null where its slice has no market impressions */
  of(group: number): number | null;
  /** The share in the one-row report, whose market includes slices without a row. */
  readonly total: number | null;
}

const MEASURE: Measure = 'market_impressions';

/** What to read of market: either a cube of rollups, or days. */
interface MarketReads {
  readonly days: readonly PartitionRead[];
  readonly cube: Cube;
  readonly rollups: readonly RollupRead[];
}

/**
 * Scans market by those axes and row conditions of the report that market has columns for.
 * @param own the report's facts, which have the impressions
 * @returns the shares of the report's groups
 */
export async function readMarketShares(
  { source, joins, deadline }: Pick<ScanContext, 'source' | 'joins' | 'deadline'>,
  plan: Plan,
  head: FactHead | undefined,
  own: Pick<GroupedFacts, 'axes' | 'table' | 'facts'>,
): Promise<MarketShares> {
  const conditions = plan.rowConditions.filter(({ base }) => isMarketBase(base));
  const axisNumbers = plan.axes.flatMap((axis, i) => (isMarketBase(axis.base) ? [i] : []));
  const axes = axisNumbers.map((i) => own.axes[i]).filter((axis) => axis !== undefined);
  const table = new GroupTable(axes.length, deadline);
  const facts = new Accumulators([MEASURE], deadline);
  const grouper = new RowGrouper(axes, table, joins, deadline);
  const add = (segment: Segment, passing: readonly RowCondition[]) => {
    deadline.check();
    const grouping = grouper.group(segment, selectRows(segment, passing, joins, deadline));
    facts.reserve(table.size);
    facts.addMeasures([MEASURE], grouping, segment);
  };
  const reads = await planMarketReads(source, plan, joins, head, conditions);
  for await (const day of readPartitions(source, reads.days)) add(day, conditions);
  const rolledUp = readCubes(source, reads.rollups, [reads.cube], []);
  for await (const { segment } of rolledUp) add(segment, [...conditions, inWindow(plan)]);
  facts.finishScan();

  const marketSums = facts.sums(MEASURE);
  const marketOf = exactSums(marketSums);
  const ownSums = own.facts.sums('impressions');
  const ownOf = exactSums(ownSums);
  const key = new Uint32Array(axes.length);
  const sliceOf = (group: number): ExactInteger => {
    axisNumbers.forEach((axis, i) => {
      key[i] = own.table.codeAt(group, axis);
    });
    const slice = table.find(key);
    return slice === 0 ? 0 : marketOf(slice);
  };
  const wholeMarket = exactSums(foldSums(marketSums, table.groups()))(1);
  return {
    of: (group) => divide(ownOf(group), sliceOf(group)),
    total: divide(exactSums(foldSums(ownSums, own.table.groups()))(1), wholeMarket),
  };
}

function isMarketBase(base: BaseColumn): boolean {
  return base !== 'experience' && tableHas('market', base);
}

/** @returns what to read of market: a cube that has the needed columns, where all months are rolled up; else the days */
async function planMarketReads(
  source: SegmentSource,
  plan: Plan,
  joins: Joins,
  head: FactHead | undefined,
  conditions: readonly RowCondition[],
): Promise<MarketReads> {
  const bases = [...plan.axes, ...conditions].map(({ base }) => base).filter(isMarketBase);
  const refs = partitionsOf(plan, head, 'market');
  const rollups = rollupsOf(plan, head);
  const cube = cubesOf('market').find((name) => bases.every((base) => cubeHas(name, base)));
  if (cube !== undefined && rollups.length === refs.length) return { days: [], cube, rollups };
  const columns = [...storedColumns('market', bases), MEASURE];
  const days = await readDays(source, plan, joins, refs, columns, conditions);
  return { days, cube: 'market_places', rollups: [] };
}
