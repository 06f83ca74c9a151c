import { expandCodes } from '../../columns/coded-keys.ts';
import type { MeasureData } from '../../columns/column.ts';
import type { ScannedSum } from '../plan/plan-sums.ts';
import type { Unmeasured } from '../plan/unmeasured.ts';
import type { Accumulators } from './accumulate.ts';
import { type Grouping, groupsOfRows } from './group-rows.ts';
import type { Segment } from './segment.ts';

/** Adds a segment some of whose days lack columns: each sum has the rows of those days alone that it is meant to have. */
export function addMeasured(
  facts: Accumulators,
  sums: readonly ScannedSum[],
  grouping: Grouping,
  segment: Segment,
  unmeasured: Unmeasured,
): void {
  const { rows, advertiserId, experience } = segment;
  const ones: MeasureData = { kind: 'constant', rows, value: 1, size: rows };
  const counted = { rows, measure: () => ones, sumOf: () => rows };
  for (const sum of sums) {
    const { needs = [], counts = 'measured' } = sum;
    const lacking = needs.flatMap((column) => unmeasured.datesOf(advertiserId, experience, column) ?? []);
    const isOfMeasured = counts === 'measured' || counts === 'keyed near';
    const isOfSum = (date: string) => lacking.some((dates) => dates.has(date)) !== isOfMeasured;
    const own = needs.length === 0 ? grouping : keepDates(grouping, segment, isOfSum);
    if (own !== undefined) facts.addMeasures([sum], own, sum.counts === undefined ? segment : counted);
  }
}

/** @returns the grouping without the rows of other dates; undefined if none is left */
export function keepDates(
  grouping: Grouping,
  segment: Segment,
  isKept: (date: string) => boolean,
): Grouping | undefined {
  const dates = segment.keys('date');
  const keeps = dates.dictionary.map((date) => isKept(String(date)));
  if (!keeps.includes(true)) return undefined;
  if (!keeps.includes(false)) return grouping;
  const codes = expandCodes(dates);
  const groups = groupsOfRows(grouping, segment.rows);
  return { kind: 'rows', groups: groups.map((group, row) => (keeps[codes[row] ?? 0] === true ? group : 0)) };
}
