import type { Measure } from '../../catalog/tables.ts';
import { expandCodes } from '../../columns/coded-keys.ts';
import type { MeasureData } from '../../columns/column.ts';
import { expandMeasure } from '../../columns/measures.ts';
import type { PartitionRead } from '../../layout/partitions.ts';
import { hasRollupKeys } from '../../layout/rollup-keys.ts';
import type { Deadline } from '../../lib/deadline.ts';
import type { Joins } from '../plan/joins.ts';
import { isMarketBase, isSliceBase, type MarketReads } from '../plan/plan-market.ts';
import type { Plan, RowCondition } from '../plan/plan-report.ts';
import { lackedKeys } from '../plan/plan-sums.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import { Accumulators } from '../scan/accumulate.ts';
import { groupsOfRows, RowGrouper } from '../scan/group-rows.ts';
import { GroupTable } from '../scan/group-table.ts';
import { readRunSegments } from '../scan/read-segments.ts';
import type { GroupedFacts, ScanContext } from '../scan/scan-facts.ts';
import type { Segment } from '../scan/segment.ts';
import { type Selection, selectRows } from '../scan/select-rows.ts';
import { StreamGroup } from '../scan/stream-group.ts';
import type { ExactInteger, Fraction } from '../sums/exact-numbers.ts';
import { exactSums, type GroupSums, sumOver } from '../sums/group-sums.ts';
import { OwnCells } from './own-cells.ts';

/** A report's share of voice: own impressions / impressions of all advertisers, both in the cells of eligible slices whose market counts. */
export interface MarketShares {
  /** @returns the share of one group; its denominator is 0 where no market counts */
  of(group: number): Fraction;
  /** The share in the one-row report. */
  readonly total: Fraction;
  /** The report's impressions in the cells whose market counts (covered), and in all others (withheld). */
  readonly covered: ExactInteger;
  readonly withheld: ExactInteger;
  /** Whether some days have no hours, so that others may not count. */
  readonly hasWholeDays: boolean;
  /** As `<experience>/<date>`, the days on which impressions of the report are unknown: they do not count, on both sides. */
  readonly unknownDays: ReadonlySet<string>;
  /** The number of rows that were read of delivery and market. */
  readonly scannedRows: number;
}

/**
 * Reads delivery of the report's advertisers, then of the caller's other advertisers, then market. Without an eligible slice it reads only the first,
 * so that the report does not depend on whether others have impressions where it has none.
 * @param own the report's groups, which are complete: no group is added
 * @param ownDays the days of `reads.own`
 * @returns the shares of the report's groups
 * @throws ApiError REPORT_TOO_EXPENSIVE where there are too many cells; what the source throws
 */
export async function readMarketShares(
  { source, joins, deadline, unmeasured }: Omit<ScanContext, 'entities' | 'seen' | 'scanned'>,
  plan: Plan,
  reads: MarketReads,
  own: ReportGroups,
  ownDays: AsyncIterable<Segment>,
): Promise<MarketShares> {
  let scannedRows = 0;
  const cells = new OwnCells(joins);
  const context: MarketContext = {
    plan,
    reads,
    own,
    joins,
    deadline,
    cells,
    unmeasured,
    unknownDays: new Set(),
    keylessDays: new Set(),
  };
  const count = async function* (segments: AsyncIterable<Segment>) {
    for await (const segment of segments) {
      scannedRows += segment.rows;
      yield segment;
    }
  };
  const ownRows = await scanOwn(context, count(ownDays), new OwnRows());
  const streams = new StreamGroup();
  const open = (partitions: readonly PartitionRead[]) =>
    streams.add(() => readRunSegments(source, cells.hasEligibleSlices ? partitions : []));
  const [othersDays, marketDays] = [count(open(reads.others)), count(open(reads.market))];
  await scanOthers(context, othersDays);
  const market = await scanMarket(context, marketDays);
  return {
    ...compare(own, ownRows.sum(cells.counted, own.table.size), market),
    hasWholeDays: reads.hasWholeDays,
    unknownDays: context.unknownDays,
    scannedRows,
  };
}

type ReportGroups = Pick<GroupedFacts, 'axes' | 'table'>;

interface MarketContext {
  readonly plan: Plan;
  readonly reads: MarketReads;
  readonly own: ReportGroups;
  readonly joins: Joins;
  readonly deadline: Deadline;
  readonly cells: OwnCells;
  readonly unmeasured: Unmeasured;
  readonly unknownDays: Set<string>;
  /** Those with own impressions that lack a key of the report, and so may be of any of its groups. */
  readonly keylessDays: Set<string>;
}

/** Adds the cells of the report's advertisers. @returns their rows under the report's filters, whose slices it makes eligible */
async function scanOwn(context: MarketContext, days: AsyncIterable<Segment>, ownRows: OwnRows): Promise<OwnRows> {
  const { plan, reads, own, joins, deadline, cells, unknownDays } = context;
  own.table.freeze();
  const grouper = new RowGrouper(own.axes, own.table, joins);
  for await (const day of days) {
    const impressions = expandMeasure(day.measure('impressions'));
    if (reads.hasWholeDays)
      cells.mark(day, cells.addSlices(day, shownIn(context, day, reads.conditions.filter(isNotOfHours))));
    addKeylessDays(context, day);
    const inMarket = shownIn(context, day, reads.conditions);
    if (inMarket === 'none') continue;
    const dates = day.keys('date');
    const dateOf = expandCodes(dates);
    const inSlices = cells.addSlices(day, inMarket);
    const cellOf = cells.add(day, inSlices);
    const groups = groupsOfRows(grouper.group(day, selectRows(day, plan.rowConditions, joins, deadline)), day.rows);
    inSlices.rows.forEach((row, i) => {
      const group = groups[row] ?? 0;
      if (group === 0) return;
      if (day.lacks('impressions')) unknownDays.add(`${day.experience}/${dates.dictionary[dateOf[row] ?? 0]}`);
      if (impressions[row] === 0) return;
      cells.makeEligible(inSlices.slices[i] ?? 0);
      ownRows.add(group, cellOf[i] ?? 0, impressions[row] ?? 0);
    });
  }
  cells.closeSlices();
  return ownRows;
}

function addKeylessDays(context: MarketContext, day: Segment): void {
  const { plan, unmeasured, keylessDays } = context;
  const near = plan.rowConditions.filter(({ base }) => hasRollupKeys([base]));
  for (const key of lackedKeys(plan, 'delivery'))
    for (const lacked of unmeasured.datesOf(day.advertiserId, day.experience, key) ?? []) {
      const isOfDay: RowCondition = { base: 'date', fields: [], passes: (_values, _id, date) => date === lacked };
      if (shownIn(context, day, [...near, isOfDay]) !== 'none') keylessDays.add(`${day.experience}/${lacked}`);
    }
}

/** Adds the cells of the caller's other advertisers in eligible slices. */
async function scanOthers(context: MarketContext, days: AsyncIterable<Segment>): Promise<void> {
  const { reads, cells } = context;
  for await (const day of days) {
    const eligible = (conditions: readonly RowCondition[]) =>
      cells.inEligibleSlices(day, shownIn(context, day, conditions));
    if (reads.hasWholeDays) cells.mark(day, eligible(reads.timeConditions.filter(isNotOfHours)));
    cells.add(day, eligible(reads.timeConditions));
  }
}

/** The market impressions that count, by those axes of the report that market has, too. */
interface MarketSums {
  readonly axisNumbers: readonly number[];
  readonly table: GroupTable;
  readonly sums: GroupSums;
}

/** Sums the rows of market that count, and marks their cells. */
async function scanMarket(
  { plan, reads, own, joins, deadline, cells, unknownDays, keylessDays }: MarketContext,
  days: AsyncIterable<Segment>,
): Promise<MarketSums> {
  cells.closeCells();
  for (const axis of own.axes) if (isSliceBase(axis.base)) axis.freeze(); // eligible slices have only values of own rows
  const axisNumbers = plan.axes.flatMap((axis, i) => (isMarketBase(axis.base) ? [i] : []));
  const axes = axisNumbers.map((i) => own.axes[i]).filter((axis) => axis !== undefined);
  const table = new GroupTable(axes.length);
  const facts = new Accumulators([MEASURE]);
  const grouper = new RowGrouper(axes, table, joins);
  const leftOut = unknownDays.union(keylessDays);
  for await (const day of days) {
    const isCompared: RowCondition['passes'] = (_values, _id, date) => !leftOut.has(`${day.experience}/${date}`);
    const conditions = [...reads.timeConditions, { base: 'date', fields: [], passes: isCompared } as const];
    const eligible = cells.inEligibleSlices(day, selectRows(day, conditions, joins, deadline));
    if (eligible.rows.length === 0) continue;
    const advertisers = reads.minOthers === 0 ? [] : expandMeasure(day.measure('market_advertisers'));
    const counted = cells.selectCounted(day, eligible, advertisers, reads);
    if (counted === 'none') continue;
    const grouping = grouper.group(day, counted);
    facts.reserve(table.size);
    facts.addMeasures([{ name: MEASURE, measure: MEASURE }], grouping, day);
  }
  facts.finishScan(table.size);
  return { axisNumbers, table, sums: facts.sums(MEASURE) };
}

const MEASURE: Measure = 'market_impressions';

/** @param ownFacts own impressions in cells whose market counts; those of group 0 are all others */
function compare(
  own: ReportGroups,
  ownFacts: Accumulators,
  market: MarketSums,
): Omit<MarketShares, 'scannedRows' | 'hasWholeDays' | 'unknownDays'> {
  const groups = own.table.groups();
  const ownSums = ownFacts.sums('impressions');
  const ownOf = exactSums(ownSums);
  const covered = sumOver(ownSums, groups);
  const marketSumOf = exactSums(market.sums);
  const codes = market.axisNumbers.map((axis) => groups.map((group) => own.table.codeAt(group, axis)));
  market.table.freeze();
  market.table.fit(market.axisNumbers.map((axis) => own.axes[axis]?.size ?? 0));
  const marketGroups = market.table.addKeys(codes, groups.length);
  const marketOf = (group: number): ExactInteger => {
    const marketGroup = marketGroups[group - 1] ?? 0; // groups are numbered from 1
    return marketGroup === 0 ? 0 : marketSumOf(marketGroup);
  };
  return {
    of: (group) => [ownOf(group), marketOf(group)],
    total: [covered, sumOver(market.sums, market.table.groups())],
    covered,
    withheld: ownOf(0),
  };
}

const isNotOfHours = ({ base }: RowCondition) => base !== 'hour';

/** @returns the rows that pass the conditions and have impressions, or may have some that are unknown */
function shownIn({ joins, deadline }: MarketContext, day: Segment, conditions: readonly RowCondition[]): Selection {
  const selection = selectRows(day, conditions, joins, deadline);
  if (selection === 'none' || day.lacks('impressions')) return selection;
  const impressions = expandMeasure(day.measure('impressions'));
  const selected = new Uint8Array(impressions.length);
  let isEmpty = true;
  for (let row = 0; row < selected.length; row++) {
    if (impressions[row] === 0 || (selection !== 'all' && selection[row] === 0)) continue;
    selected[row] = 1;
    isEmpty = false;
  }
  return isEmpty ? 'none' : selected;
}

/** The report's own rows with impressions: the group and the cell of each. */
class OwnRows {
  readonly #groups: number[] = [];
  readonly #cells: number[] = [];
  readonly #impressions: number[] = [];

  add(group: number, cell: number, impressions: number): void {
    this.#groups.push(group);
    this.#cells.push(cell);
    this.#impressions.push(impressions);
  }

  /**
   * @param counted by cell, 1 where the market counts
   * @param groupCount the number of groups, which are 1…groupCount
   * @returns the impressions of each group in the cells that count; group 0 has all others
   */
  sum(counted: Uint8Array, groupCount: number): Accumulators {
    const sums = new Accumulators(['impressions']);
    sums.reserve(groupCount);
    const groups = Uint32Array.from(this.#groups, (group, row) => group * (counted[this.#cells[row] ?? 0] ?? 0));
    const values = Float64Array.from(this.#impressions);
    const size = values.reduce((total, value) => total + value, 0);
    const impressions: MeasureData = { kind: 'values', rows: values.length, size, values };
    const part = { rows: values.length, measure: () => impressions, sumOf: () => size };
    sums.addMeasures([{ name: 'impressions', measure: 'impressions' }], { kind: 'rows', groups }, part);
    sums.finishScan(groupCount);
    return sums;
  }
}
