import type { SegmentSource } from '../catalog/segment-source.ts';
import type { FactTable, Measure } from '../catalog/tables.ts';
import { expandCodes } from '../columns/keys.ts';
import { Accumulators } from './accumulate.ts';
import { AxisCodes } from './axes.ts';
import { UserCounter } from './count-users.ts';
import { EntityCodes } from './entities.ts';
import { type Grouping, RowGrouper } from './group-rows.ts';
import { GroupTable } from './group-table.ts';
import { refuseTooManyGroups } from './guard-cost.ts';
import type { Joins } from './joins.ts';
import { PlanBook } from './pacing.ts';
import { inWindow, type MarketReads, type Reads } from './plan-reads.ts';
import type { Plan, RowCondition, TableScan } from './plan-report.ts';
import { readCubes } from './read-rollups.ts';
import { readPartitions } from './read-segments.ts';
import type { Segment } from './segment.ts';
import { selectRows } from './select-rows.ts';

/** What one or more fact tables came to, group by group. */
export interface GroupedFacts {
  readonly axes: readonly AxisCodes[];
  readonly table: GroupTable;
  readonly facts: Accumulators;
  readonly entities: EntityCodes;
  readonly plans: PlanBook | undefined;
  /** Fact rows that were read. */
  readonly scannedRows: number;
}

/** Scans the tables one after the other into the same groups, so that facts of different tables meet in one row. */
export async function scanFacts(
  source: SegmentSource,
  plan: Plan,
  joins: Joins,
  reads: Reads,
  signal: AbortSignal | undefined,
): Promise<GroupedFacts> {
  const axes = plan.axes.map((axis) => new AxisCodes(axis));
  const table = new GroupTable(axes.length);
  if (axes.length === 0) table.add([]); // one row, with facts or without
  const grouped = {
    axes,
    table,
    facts: new Accumulators([...new Set(plan.scans.flatMap((it) => it.measures))]),
    entities: new EntityCodes(joins),
    plans: plan.pacing === undefined ? undefined : new PlanBook(joins, plan.pacing.splitsCampaigns),
    scannedRows: 0,
  };
  const grouper = new RowGrouper(axes, table, joins);
  const users = new UserCounter(grouped.facts, reads.userBands, plan.scans);
  const add = (scan: TableScan, segment: Segment, conditions: readonly RowCondition[]) => {
    signal?.throwIfAborted();
    grouped.scannedRows += segment.rows;
    const grouping = grouper.group(segment, selectRows(segment, conditions, joins));
    refuseTooManyGroups(table.size, plan.query);
    if (grouping.kind === 'one' && grouping.group === 0) return;
    grouped.facts.reserve(table.size);
    addSegment(grouped, plan, scan, segment, grouping);
    users.add(scan, segment, grouping);
  };
  for (const { scan, partitions } of reads.days) {
    for await (const day of readPartitions(source, partitions)) add(scan, day, plan.rowConditions);
  }
  const userColumns = reads.rolledUp.flatMap((it) =>
    it.users ? reads.userBands.map(({ column }) => `${it.table}/${column}`) : [],
  );
  const cubes = reads.rolledUp.map((it) => it.table).filter((it) => it !== 'market');
  const conditions = [...plan.rowConditions, inWindow(plan)];
  for await (const { cube, segment } of readCubes(source, reads.rollups, cubes, userColumns)) {
    const scan = reads.rolledUp.find((it) => it.table === cube);
    if (scan !== undefined) add(scan, segment, conditions);
  }
  grouped.facts.reserve(table.size);
  grouped.facts.finishScan();
  await users.finish(source, reads, plan.scans, table.size);
  return grouped;
}

/**
 * Scans market by those of the report's axes that market has, under the conditions it has.
 * @returns all advertisers' impressions by group of `own`, and altogether
 */
export async function scanMarket(
  source: SegmentSource,
  joins: Joins,
  own: GroupedFacts,
  conditions: readonly RowCondition[],
  axisNumbers: readonly number[],
  reads: MarketReads,
  window: RowCondition,
  signal: AbortSignal | undefined,
): Promise<{ readonly byGroup: Float64Array; readonly whole: number }> {
  const axes = axisNumbers.map((i) => own.axes[i]).filter((it) => it !== undefined);
  const table = new GroupTable(axes.length);
  const measure: Measure = 'market_impressions';
  const facts = new Accumulators([measure]);
  const grouper = new RowGrouper(axes, table, joins);
  const add = (segment: Segment, passing: readonly RowCondition[]) => {
    signal?.throwIfAborted();
    const grouping = grouper.group(segment, selectRows(segment, passing, joins));
    facts.reserve(table.size);
    facts.addMeasures([measure], grouping, segment);
  };
  for await (const day of readPartitions(source, reads.days)) add(day, conditions);
  const rolledUp = readCubes(source, reads.rollups, [reads.cube], []);
  for await (const { segment } of rolledUp) add(segment, [...conditions, window]);
  facts.reserve(table.size);
  facts.finishScan();
  const sums = facts.sums(measure);
  const byGroup = new Float64Array(own.table.size + 1);
  const key = new Uint32Array(axes.length);
  for (let group = 1; group <= own.table.size; group++) {
    axisNumbers.forEach((axis, i) => {
      key[i] = own.table.codeAt(group, axis);
    });
    const slice = table.find(key);
    byGroup[group] = slice === 0 ? 0 : (sums[slice] ?? 0);
  }
  let whole = 0;
  for (let slice = 1; slice <= table.size; slice++) whole += sums[slice] ?? 0;
  return { byGroup, whole };
}

function plansIn(plan: Plan, table: FactTable): boolean {
  return plan.pacing !== undefined && table === 'delivery';
}

function addSegment(grouped: GroupedFacts, plan: Plan, scan: TableScan, segment: Segment, grouping: Grouping): void {
  const { facts } = grouped;
  facts.addMeasures(scan.measures, grouping, segment);
  if (plan.attributes) addEntities(grouped, segment, grouping);
  if (plansIn(plan, scan.table)) addPlannedCost(grouped, segment, grouping);
}

function addEntities({ facts, entities }: GroupedFacts, segment: Segment, grouping: Grouping): void {
  const keys = segment.keys('ad_group_id');
  const { advertiserId } = segment;
  const codes = expandCodes(keys);
  facts.addEntities(
    'ad_group',
    grouping,
    codes,
    keys.dictionary.map((id) => entities.adGroup(advertiserId, id)),
  );
  facts.addEntities(
    'campaign',
    grouping,
    codes,
    keys.dictionary.map((id) => entities.campaign(advertiserId, id)),
  );
}

/** Sums the cost of rows whose ad group has a plan; only ad groups with a selected row enter. */
function addPlannedCost({ facts, plans }: GroupedFacts, segment: Segment, grouping: Grouping): void {
  if (plans === undefined) return;
  const keys = segment.keys('ad_group_id');
  const codes = expandCodes(keys);
  const present = new Uint8Array(keys.dictionary.length);
  for (let row = 0; row < codes.length; row++) {
    if (grouping.kind === 'one' || grouping.groups[row] !== 0) present[codes[row] ?? 0] = 1;
  }
  const planned = Uint8Array.from(keys.dictionary, (id, code) =>
    present[code] === 1 && plans.enter(segment.advertiserId, id) ? 1 : 0,
  );
  const groups = new Uint32Array(codes.length);
  for (let row = 0; row < codes.length; row++) {
    const group = grouping.kind === 'one' ? grouping.group : (grouping.groups[row] ?? 0);
    groups[row] = planned[codes[row] ?? 0] === 1 ? group : 0;
  }
  facts.addPlannedCost(groups, segment.measure('cost'));
}
