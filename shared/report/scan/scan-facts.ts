import type { SegmentSource } from '../../catalog/segment-reads.ts';
import type { FactTable } from '../../catalog/tables.ts';
import { expandCodes } from '../../columns/coded-keys.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { takeTurn } from '../../lib/turns.ts';
import type { ReportMemory } from '../guard/report-memory.ts';
import type { Joins } from '../plan/joins.ts';
import { daysInPeriod, inPeriod } from '../plan/plan-reads.ts';
import type { Plan, RowCondition, TableScan } from '../plan/plan-report.ts';
import { Accumulators } from './accumulate.ts';
import { AxisCodes } from './axes.ts';
import { UserCounter } from './count-users.ts';
import type { EntityCodes } from './entities.ts';
import { type Grouping, RowGrouper } from './group-rows.ts';
import { GroupTable } from './group-table.ts';
import type { OpenReads } from './open-reads.ts';
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
  readonly memory: ReportMemory;
}

/** Memory per group after the scan: lists of the groups, and what sorting one takes. */
const LIST_BYTES = 24;

/** Receives the segments of a scan that have selected rows, to accumulate something that `Accumulators` does not have. */
export interface SegmentCollector {
  /** @param groupCount the number of groups so far, which the groups of `grouping` do not exceed */
  add(table: FactTable, segment: Segment, grouping: Grouping, groupCount: number): Promise<void>;
}

/**
 * @returns the facts of all scanned tables in the same groups, so that facts of different tables become one row
 * @throws ApiError REPORT_TOO_EXPENSIVE where they do not fit into memory; DEADLINE_EXCEEDED
 */
export async function scanFacts(
  { source, joins, entities, seen, deadline, memory }: ScanContext,
  plan: Plan,
  { reads, days, rollups }: OpenReads,
  collector?: SegmentCollector,
): Promise<GroupedFacts> {
  const hold = (bytes: number) => memory.hold(bytes);
  const axes = plan.axes.map((axis) => new AxisCodes(axis, deadline));
  const table = new GroupTable(axes.length, deadline, hold);
  table.fit(axes.map(({ base }) => (base === 'date' ? daysInPeriod(plan) : 1))); // so that it is not laid out again for the dates of later segments
  if (axes.length === 0) table.add([]); // without dimensions there is always one row, even without facts
  const measures = plan.scans.flatMap((scan) => scan.measures);
  const facts = new Accumulators(measures, deadline, hold);
  const grouper = new RowGrouper(axes, table, joins, deadline);
  const users = new UserCounter(facts, reads.userBands, plan.scans, hold);
  let scannedRows = 0;
  let valueBytes = 0;
  const add = async (scan: TableScan, segment: Segment, conditions: readonly RowCondition[]) => {
    deadline.check();
    scannedRows += segment.rows;
    const decoding = segment.decodingBytes([...axes, ...conditions].map(({ base }) => base));
    hold(decoding);
    const grouping = await grouper.group(segment, await selectRows(segment, conditions, joins, deadline, seen));
    const bytes = axes.reduce((sum, axis) => sum + axis.bytes, 0);
    hold(bytes - valueBytes - decoding);
    valueBytes = bytes;
    if (grouping.kind === 'one' && grouping.group === 0) return;
    facts.reserve(table.size);
    facts.addMeasures(scan.measures, grouping, segment);
    if (plan.attributes) await addEntities({ entities, deadline, memory }, facts, segment, grouping);
    await collector?.add(scan.table, segment, grouping, table.size);
    await users.add(scan, segment, grouping);
  };
  for (const { scan, segments } of days) {
    for await (const day of segments) {
      await add(scan, day, plan.rowConditions);
      await takeTurn(deadline);
    }
  }
  const conditions = [...plan.rowConditions, inPeriod(plan)];
  // the advertisers to read have passed the conditions on advertisers; testing those on the others of a shard could put their names into warnings
  const ofShards = conditions.filter(({ base }) => base !== 'advertiser');
  for await (const { scan, segment, advertiserIds } of rollups) {
    await add(scan, segment, advertiserIds === undefined ? conditions : [...ofShards, amongAdvertisers(advertiserIds)]);
    await takeTurn(deadline);
  }
  facts.reserve(table.size);
  facts.finishScan(table.size);
  hold(table.size * LIST_BYTES);
  await users.finish(source, reads, plan.scans, table.size);
  return { axes, table, facts, scannedRows };
}

/** @returns the condition that a row of a shard's rollup belongs to one of the advertisers */
function amongAdvertisers(advertiserIds: ReadonlySet<number>): RowCondition {
  const passes: RowCondition['passes'] = (_values, _advertiserId, id) => advertiserIds.has(Number(id));
  return { base: 'advertiser', fields: [], passes, remembered: 0 };
}

async function addEntities(
  { entities, deadline, memory }: Pick<ScanContext, 'entities' | 'deadline' | 'memory'>,
  facts: Accumulators,
  segment: Segment,
  grouping: Grouping,
): Promise<void> {
  const keys = segment.keys('ad_group_id');
  const codes = expandCodes(keys);
  const before = entities.bytes;
  const adGroups: number[] = [];
  for (const id of keys.dictionary) {
    if (deadline.isTurnDue) await takeTurn(deadline);
    deadline.spend();
    adGroups.push(entities.adGroup(segment.advertiserId, id));
  }
  memory.hold(entities.bytes - before);
  facts.addEntities('ad_group', grouping, codes, adGroups);
  const campaigns = adGroups.map((code) => entities.campaignOf(code));
  facts.addEntities('campaign', grouping, codes, campaigns);
}
