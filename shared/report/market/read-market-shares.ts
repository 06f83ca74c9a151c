import { expandMeasure } from '../../columns/measures.ts';
import { rejectTooManyCells, rejectTooManyGroups } from '../plan/guard-cost.ts';
import { isMarketBase, type MarketReads } from '../plan/plan-market.ts';
import type { PartitionRead } from '../plan/plan-reads.ts';
import type { Plan, RowCondition } from '../plan/plan-report.ts';
import { Accumulators } from '../scan/accumulate.ts';
import { groupsOfRows, RowGrouper } from '../scan/group-rows.ts';
import { GroupTable } from '../scan/group-table.ts';
import { readPartitions } from '../scan/read-segments.ts';
import type { GroupedFacts, ScanContext } from '../scan/scan-facts.ts';
import type { Segment } from '../scan/segment.ts';
import { type Selection, selectRows } from '../scan/select-rows.ts';
import { divide, type ExactInteger } from '../sums/exact-numbers.ts';
import { exactSums, foldSums } from '../sums/group-sums.ts';
import { OwnCells } from './own-cells.ts';
import { OwnRows } from './own-rows.ts';

/** A report's share of voice: own impressions / impressions of all advertisers, both in the cells of eligible slices whose market counts. */
export interface MarketShares {
  /** @returns the share of one group; null where no market counts */
  of(group: number): number | null;
  /** The share in the one-row report. */
  readonly total: number | null;
  /** The report's impressions in the cells whose market counts, and in all others. */
  readonly covered: ExactInteger;
  readonly withheld: ExactInteger;
  /** The number of rows that were read of delivery and market. */
  readonly scannedRows: number;
}

/**
 * Reads delivery of the report's advertisers, then of the caller's other advertisers in the eligible slices, then market. Without an eligible slice it
 * reads nothing else, whether or not others have impressions there.
 * @param own the report's groups, which are complete: no group is added
 * @returns the shares of the report's groups
 */
export async function readMarketShares(
  { source, joins, deadline }: Pick<ScanContext, 'source' | 'joins' | 'deadline'>,
  plan: Plan,
  reads: MarketReads,
  own: Pick<GroupedFacts, 'axes' | 'table'>,
): Promise<MarketShares> {
  let scannedRows = 0;
  const lookUp = (segment: Segment, conditions: readonly RowCondition[]) =>
    selectRows(segment, conditions, joins, deadline);
  async function* segmentsOf(partitions: readonly PartitionRead[]): AsyncGenerator<Segment> {
    for await (const segment of readPartitions(source, partitions)) {
      deadline.check();
      scannedRows += segment.rows;
      yield segment;
    }
  }

  const cells = new OwnCells(joins, deadline);
  const ownRows = new OwnRows();
  own.table.freeze();
  const grouper = new RowGrouper(own.axes, own.table, joins, deadline);
  for await (const day of segmentsOf(reads.own)) {
    const impressions = expandMeasure(day.measure('impressions'));
    const inMarket = withImpressions(lookUp(day, reads.conditions), impressions);
    if (inMarket === 'none') continue;
    const inSlices = cells.addSlices(day, inMarket);
    const cellOf = cells.add(day, inSlices);
    const groups = groupsOfRows(grouper.group(day, lookUp(day, plan.rowConditions)), day.rows);
    inSlices.rows.forEach((row, i) => {
      deadline.spend();
      const group = groups[row] as number; // row < rows, and each has a slice and a cell
      if (group === 0) return;
      cells.makeEligible(inSlices.slices[i] as number);
      ownRows.add(group, cellOf[i] as number, impressions[row] as number);
    });
    rejectTooManyCells(cells.size, ownRows.length);
  }
  cells.closeSlices();
  for await (const day of segmentsOf(cells.hasEligibleSlices ? reads.others : [])) {
    const impressions = expandMeasure(day.measure('impressions'));
    cells.add(day, cells.inEligibleSlices(day, withImpressions(lookUp(day, reads.conditions), impressions)));
    rejectTooManyCells(cells.size, ownRows.length);
  }
  cells.close();

  const axisNumbers = plan.axes.flatMap((axis, i) => (isMarketBase(axis.base) ? [i] : []));
  const axes = axisNumbers.map((i) => own.axes[i]).filter((axis) => axis !== undefined);
  const table = new GroupTable(axes.length, deadline);
  const market = new Accumulators(['market_impressions'], deadline);
  const marketGrouper = new RowGrouper(axes, table, joins, deadline);
  for await (const day of segmentsOf(cells.hasEligibleSlices ? reads.market : [])) {
    const eligible = cells.inEligibleSlices(day, lookUp(day, reads.conditions));
    if (eligible.rows.length === 0) continue;
    const advertisers = reads.minOthers === 0 ? NONE : expandMeasure(day.measure('market_advertisers'));
    const counted = cells.selectCounted(day, eligible, advertisers, reads.minOthers);
    if (counted === 'none') continue;
    const grouping = marketGrouper.group(day, counted);
    rejectTooManyGroups(table.size, plan.query);
    market.reserve(table.size);
    market.addMeasures(['market_impressions'], grouping, day);
  }
  market.finishScan();

  const ownSums = ownRows.sum(cells.counted, own.table.size, deadline).sums('impressions');
  const ownOf = exactSums(ownSums);
  const covered = exactSums(foldSums(ownSums, own.table.groups()))(1);
  const marketSums = market.sums('market_impressions');
  const marketOf = exactSums(marketSums);
  const key = new Uint32Array(axes.length);
  const sliceOf = (group: number): ExactInteger => {
    axisNumbers.forEach((axis, i) => {
      key[i] = own.table.codeAt(group, axis);
    });
    const slice = table.find(key);
    return slice === 0 ? 0 : marketOf(slice);
  };
  return {
    of: (group) => divide(ownOf(group), sliceOf(group)),
    total: divide(covered, exactSums(foldSums(marketSums, table.groups()))(1)),
    covered,
    withheld: ownOf(0),
    scannedRows,
  };
}

const NONE = new Float64Array(0);

/** @returns those of the selected rows that have impressions */
function withImpressions(selection: Selection, impressions: Float64Array): Selection {
  if (selection === 'none') return 'none';
  const selected = new Uint8Array(impressions.length);
  let isEmpty = true;
  for (let row = 0; row < selected.length; row++) {
    if (impressions[row] === 0 || (selection !== 'all' && selection[row] === 0)) continue;
    selected[row] = 1;
    isEmpty = false;
  }
  return isEmpty ? 'none' : selected;
}
