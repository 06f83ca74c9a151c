import type { BaseColumn } from '../../catalog/tables.ts';
import type { ReadPlan } from './plan-reads.ts';
import type { Plan } from './plan-report.ts';

/** A rollup has a row per ad group and day of a month, so about this many rows have the same ad group, and so the same value. */
const DAYS_PER_ROLLUP = 30;

/**
 * @param rows the estimated number of fact rows to read
 * @returns about how many searches the patterns of the plan's filters make. Each distinct value of a month is tested once; a filter on a metric tests
 * every group, of which there are at most as many as rows.
 */
export function estimateSearches(plan: Plan, reads: ReadPlan, rows: number): number {
  let searches = 0;
  for (const condition of plan.rowConditions) {
    if (condition.searches > 0) searches += condition.searches * countDistinct(reads, condition.base, rows);
  }
  for (const condition of plan.groupConditions) searches += condition.searches * rows;
  return searches;
}

/** @returns about how many distinct values of the column the segments of the plan have, months counted separately */
function countDistinct(reads: ReadPlan, base: BaseColumn, rows: number): number {
  let distinct = 0;
  let rowsOfDays = 0;
  for (const { partitions } of reads.days) {
    for (const { days } of partitions) {
      let max = 1; // what is no column, such as the date, has one value per day
      for (const day of days) {
        max = Math.max(max, day.columns.get(base)?.distinct ?? 0);
        rowsOfDays += day.rows;
      }
      distinct += max;
    }
  }
  return distinct + Math.max(0, rows - rowsOfDays) / DAYS_PER_ROLLUP;
}
