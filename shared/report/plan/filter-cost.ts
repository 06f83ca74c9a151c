import type { BaseColumn } from '../../catalog/tables.ts';
import type { PlannedReads, ReadPlan } from './plan-reads.ts';

/** A rollup has a row per ad group and day of a month, so about this many rows have the same ad group, and so the same value. */
const DAYS_PER_ROLLUP = 30;

/** A text of this length takes the time of one search; longer texts take more. */
export const CHARACTERS_PER_SEARCH = 25;

/**
 * @param rows the estimated number of fact rows to read
 * @param groups the most groups that the result may have, before metric filters
 * @returns about how many searches of ordinary texts the plan's filters make, besides those on advertisers. Each distinct value of a month is tested by all
 * filters of its field, and looked up on every day; filters on metrics test every group. A test without a pattern and a look-up count as one search.
 */
export function estimateSearches({ plan, reads, joins }: PlannedReads, rows: number, groups: number): number {
  let searches = 0;
  for (const condition of plan.rowConditions) {
    if (condition.base === 'advertiser') continue;
    const { ofMonths, ofDays } = countDistinct(reads, condition.base, rows);
    const { total, longest } = joins?.lengthsOf(condition.field) ?? { total: 0, longest: 0 };
    const ofLengths = Math.min(total, longest * ofMonths) / CHARACTERS_PER_SEARCH; // any values may have facts
    searches += condition.searches * Math.max(ofMonths, ofLengths) + condition.filters * ofMonths + ofDays;
  }
  for (const condition of plan.groupConditions) searches += (condition.searches + condition.filters) * groups;
  return searches;
}

/** @returns about how many distinct values of the column the segments of the plan have, counted by month and by day */
export function countDistinct(reads: ReadPlan, base: BaseColumn, rows: number): { ofMonths: number; ofDays: number } {
  let [ofMonths, ofDays, rowsOfDays] = [0, 0, 0];
  for (const { partitions } of reads.days) {
    for (const { days } of partitions) {
      let max = 0;
      for (const day of days) {
        const distinct = day.columns.get(base)?.distinct ?? 1; // what is no column, such as the date, has one value per day
        max = Math.max(max, distinct);
        ofDays += distinct;
        rowsOfDays += day.rows;
      }
      ofMonths += max;
    }
  }
  const ofCubes = Math.max(0, rows - rowsOfDays) / DAYS_PER_ROLLUP;
  return { ofMonths: ofMonths + ofCubes, ofDays: ofDays + ofCubes };
}
