import type { Experience, FactTable } from '../../catalog/tables.ts';
import { expandCodes } from '../../columns/coded-keys.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { Joins } from '../plan/joins.ts';
import { daysInPeriod, inPeriod, type ReadPlan } from '../plan/plan-reads.ts';
import type { Plan, RowCondition, TableScan } from '../plan/plan-report.ts';
import type { ScannedSum } from '../plan/plan-sums.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import { KEY_CELLS, MAX_CELLS } from '../query/too-expensive.ts';
import { Accumulators } from './accumulate.ts';
import { addMeasured } from './add-measured.ts';
import { AxisCodes } from './axes.ts';
import { ShopperCounter } from './count-shoppers.ts';
import type { EntityCodes, EntityKind } from './entities.ts';
import { type Grouping, groupsOfRows, RowGrouper } from './group-rows.ts';
import { GroupTable } from './group-table.ts';
import { NearRows } from './near-rows.ts';
import type { OpenReads } from './open-reads.ts';
import type { ScannedAdvertisers } from './scanned-advertisers.ts';
import type { SeenValues } from './seen-values.ts';
import type { Segment } from './segment.ts';
import { selectRows } from './select-rows.ts';

/** The facts of all scanned tables by group. `axes` has the codes of the table's keys. */
export interface GroupedFacts {
  readonly axes: readonly AxisCodes[];
  readonly table: GroupTable;
  readonly facts: Accumulators;
  /** The number of fact rows that were read. */
  readonly scannedRows: number;
}

/** What every scan of a report shares. */
export interface ScanContext {
  readonly source: SegmentSource;
  readonly joins: Joins;
  readonly entities: EntityCodes;
  readonly seen: SeenValues;
  readonly deadline: Deadline;
  readonly unmeasured: Unmeasured;
  readonly scanned: ScannedAdvertisers;
}

/** Rows that are not read. */
export interface ComputedRows {
  readonly segment: Segment;
  /** What each row belongs to. */
  readonly kinds: readonly EntityKind[];
  /** Receives the group of each row. */
  add(groups: Uint32Array): void;
}

/** Accumulates what `Accumulators` does not have. It receives the segments of a scan that have selected rows. */
export interface SegmentCollector {
  /** @returns rows to be grouped after those of all segments */
  computedRows(axes: readonly AxisCodes[]): Iterable<ComputedRows>;
  /** @param groupCount the number of groups so far, which the groups of `grouping` do not exceed */
  add(table: FactTable, segment: Segment, grouping: Grouping, groupCount: number): void;
}

/**
 * @returns the facts of all scanned tables in the same groups, so that facts of different tables become one row
 * @throws ApiError REPORT_TOO_EXPENSIVE where there are too many; what the segments throw
 */
export async function scanFacts(
  { source, joins, entities, seen, deadline, unmeasured, scanned }: ScanContext,
  plan: Plan,
  { reads, days, rollups }: OpenReads,
  collector?: SegmentCollector,
): Promise<GroupedFacts> {
  const axes = plan.axes.map((axis) => new AxisCodes(axis));
  const table = new GroupTable(axes.length, rowsToRead(reads), MAX_CELLS / cellsPerGroup(plan));
  table.fit(axes.map(({ base }) => (base === 'date' ? daysInPeriod(plan) : 1))); // so that it is not laid out again for the dates of later segments
  if (axes.length === 0) table.add([]); // without dimensions there is always one row, even without facts
  const sums = plan.scans.flatMap((scan) => scan.sums);
  const near = new NearRows(sums.filter(isNear), axes, joins);
  const facts = new Accumulators(sums.filter((sum) => !isNear(sum)).map(({ name }) => name));
  const grouper = new RowGrouper(axes, table, joins);
  const shoppers = new ShopperCounter(facts, reads.shopperBands, plan.scans, unmeasured);
  let scannedRows = 0;
  const group = (segment: Segment, conditions: readonly RowCondition[], kinds?: readonly EntityKind[]) => {
    const grouping = grouper.group(segment, selectRows(segment, conditions, joins, deadline, seen));
    if (grouping.kind === 'one' && grouping.group === 0) return undefined;
    facts.reserve(table.size);
    if (plan.partialMetrics.size > 0 || plan.unmeasured.size > 0)
      facts.addExperience(grouping, segment.rows, segment.experience, kinds === undefined);
    if (plan.attributes) addEntities(entities, facts, segment, grouping, kinds);
    return grouping;
  };
  const add = (scan: TableScan, segment: Segment, conditions: readonly RowCondition[]) => {
    scannedRows += segment.rows;
    scanned.add(scan.table, segment);
    const sums = sumsIn(scan, segment.experience);
    near.add(sums.filter(isNear), segment, conditions, unmeasured);
    const grouping = group(segment, conditions);
    if (grouping === undefined) return;
    scanned.selected.add(segment.advertiserId);
    if (plan.unmeasured.size === 0) facts.addMeasures(sums, grouping, segment);
    else
      addMeasured(
        facts,
        sums.filter((sum) => !isNear(sum)),
        grouping,
        segment,
        unmeasured,
      );
    collector?.add(scan.table, segment, grouping, table.size);
    shoppers.add(scan, segment, grouping);
  };
  const conditions = [...plan.rowConditions, inPeriod(plan)];
  for (const { scan, segments } of days) for await (const run of segments) add(scan, run, conditions);
  // the advertisers to read have passed the conditions on advertisers; testing those on the others of a shard could put their names into warnings
  const ofShards = conditions.filter(({ base }) => base !== 'advertiser');
  for await (const { scan, segment, advertiserIds } of rollups) {
    add(scan, segment, advertiserIds === undefined ? conditions : [...ofShards, amongAdvertisers(advertiserIds)]);
  }
  for (const { segment, kinds, add } of collector?.computedRows(axes) ?? []) {
    deadline.checkStep();
    const grouping = group(segment, plan.rowConditions, kinds);
    if (grouping !== undefined) add(groupsOfRows(grouping, segment.rows));
  }
  facts.reserve(table.size);
  facts.finishScan(table.size);
  near.finish(facts, table);
  await shoppers.finish(source, reads, plan.scans, table.size);
  return { axes, table, facts, scannedRows };
}

/** @returns the cells of a group. Its planned cost takes as much as three keys. A compared report has the groups of two periods, and of both together. */
function cellsPerGroup({ scans, query, planned }: Plan): number {
  const sums = scans.reduce((count, scan) => count + scan.sums.length, 0);
  const cells = KEY_CELLS * (planned === undefined ? 1 : 4) + sums;
  return query.compare ? 2 * (cells + KEY_CELLS) : cells;
}

function rowsToRead({ days, rollups }: ReadPlan): number {
  const ofDays = days.flatMap(({ partitions }) => partitions.flatMap(({ runs }) => runs.map(({ rows }) => rows)));
  const ofMonths = rollups.flatMap(({ entry, scans }) => scans.map(({ table }) => entry.rows.get(table) ?? 0));
  return [...ofDays, ...ofMonths].reduce((sum, rows) => sum + rows, 0);
}

const isNear = ({ counts }: ScannedSum): boolean => counts?.endsWith(' near') === true;

/** @returns the sums to which segments of the experience are added */
function sumsIn({ sums }: TableScan, experience: Experience | null): readonly ScannedSum[] {
  return sums.filter(({ experiences }) => experience !== null && experiences.includes(experience));
}

/** @returns the condition that a row of a shard's rollup belongs to one of the advertisers */
function amongAdvertisers(advertiserIds: ReadonlySet<number>): RowCondition {
  const passes: RowCondition['passes'] = (_values, _advertiserId, id) => advertiserIds.has(Number(id));
  return { base: 'advertiser', fields: [], passes };
}

function addEntities(
  entities: EntityCodes,
  facts: Accumulators,
  segment: Segment,
  grouping: Grouping,
  kinds: readonly EntityKind[] = ['ad_group', 'campaign'],
): void {
  const keys = segment.keys('ad_group_id');
  const codes = expandCodes(keys);
  const adGroups = keys.dictionary.map((id) => entities.adGroup(segment.advertiserId, id));
  for (const kind of kinds) {
    const codesOfKind = kind === 'ad_group' ? adGroups : adGroups.map((code) => entities.campaignOf(code));
    facts.addEntities(kind, grouping, codes, codesOfKind);
  }
}
