import type { BaseColumn } from '../../catalog/tables.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { takeTurn } from '../../lib/turns.ts';
import { hasBaseValues, type Joins } from '../plan/joins.ts';
import type { PlannedReads, ReadPlan } from '../plan/plan-reads.ts';
import type { Plan } from '../plan/plan-report.ts';
import type { ReportScope } from '../query/query.ts';

/** A rollup has a row per key and day of a month, so about this many of its rows have the same value. */
const DAYS_PER_ROLLUP = 30;

/** A text of this length takes the time of one search; longer texts take more. */
const TEXT_CHARACTERS_PER_SEARCH = 25;

/** Looking up the result of a base value's tests takes the time of this many searches. Measured: 280 ns per value of a text column. */
const SEARCHES_PER_LOOK_UP = 5;

/**
 * @param rows the estimated number of fact rows that this plan reads
 * @param groups the maximum number of groups of the result, before metric filters
 * @returns about how many searches of ordinary texts the plan's filters make, besides those on advertisers. Each distinct value of a month is tested by all
 * filters of its field, as far as there is memory for the results, which are looked up on every day; filters on metrics test every group. Each test counts as one
 * search more than it makes.
 */
export function estimateSearches({ plan, reads, joins }: PlannedReads, rows: number, groups: number): number {
  let total = 0;
  for (const { base, fields, remembered } of plan.rowConditions) {
    if (base === 'advertiser') continue;
    const { ofMonths, ofDays } = countDistinct(reads, base, rows);
    const rememberedShare = Math.min(1, remembered / Math.max(1, ofMonths));
    const repeats = rememberedShare + ((1 - rememberedShare) * ofDays) / Math.max(1, ofMonths);
    for (const { field, searches, filters } of fields) {
      const { total: characters, longest } = joins?.lengthsOf(field) ?? { total: 0, longest: 0 };
      const ofLengths = Math.min(characters, longest * ofMonths) / TEXT_CHARACTERS_PER_SEARCH; // any values may have facts
      total += (searches * Math.max(ofMonths, ofLengths) + filters * ofMonths) * repeats;
    }
    total += ofDays * SEARCHES_PER_LOOK_UP;
  }
  for (const { searches, filters } of plan.groupConditions) total += (searches + filters) * groups;
  return total;
}

/**
 * @returns how many searches of ordinary texts selecting the advertisers takes. Each test counts as one search more than it makes.
 * @throws ApiError DEADLINE_EXCEEDED, or REPORT_TOO_EXPENSIVE where the names of accounts do not fit into memory
 */
export async function countAdvertiserSearches(
  { rowConditions }: Plan,
  joins: Joins,
  { advertiserIds }: ReportScope,
  deadline: Deadline,
): Promise<number> {
  let total = 0;
  const fields = rowConditions.filter(({ base }) => base === 'advertiser').flatMap((condition) => condition.fields);
  for (const { field, searches, filters } of fields) {
    for (const id of advertiserIds) {
      await takeTurn(deadline); // one value can join the names of thousands of accounts, so each look-up may take long
      const length = String(joins.valueOf(field, id, id) ?? '').length;
      total += searches * Math.max(1, length / TEXT_CHARACTERS_PER_SEARCH) + filters;
    }
  }
  return total;
}

/**
 * @returns about how many distinct values the columns have that the plan groups by: `ofDays` counts them by day, because the code of each is looked up, and
 * `ofJoins` by advertiser and dimension, for axes with several dimensions or with joined or computed values, which are found once
 */
export function countAxisValues({ plan, reads }: PlannedReads, rows: number): { ofDays: number; ofJoins: number } {
  let [ofDays, ofJoins] = [0, 0];
  for (const { base, dimensions } of plan.axes) {
    ofDays += countDistinct(reads, base, rows).ofDays;
    if (dimensions.length > 1 || !dimensions.every(hasBaseValues))
      ofJoins += countOnce(reads, base) * dimensions.length;
  }
  return { ofDays, ofJoins };
}

/** @returns about how many distinct values of the column all advertisers have: for each, those of its day, or rollup, with the most */
function countOnce({ days, rollups }: ReadPlan, base: BaseColumn): number {
  const counts = new Map<string, number>();
  const note = (owner: string, count: number) => counts.set(owner, Math.max(count, counts.get(owner) ?? 0));
  for (const { ref, days: ofMonth } of days.flatMap(({ partitions }) => partitions))
    for (const day of ofMonth) note(`${ref.advertiserId}`, day.columns.get(base)?.distinct ?? 1);
  for (const { ref, entry, scans } of rollups)
    for (const { table } of scans)
      note(
        'shard' in ref ? `shard ${ref.shard}` : `${ref.advertiserId}`,
        (entry.rows.get(table) ?? 0) / DAYS_PER_ROLLUP,
      );
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * @param rows the estimated number of fact rows that this plan reads; those that are not of days are of rollups
 * @returns about how many distinct values of the column the segments of the plan have, counted by month and by day
 */
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
  const ofRollups = Math.max(0, rows - rowsOfDays) / DAYS_PER_ROLLUP;
  return { ofMonths: ofMonths + ofRollups, ofDays: ofDays + ofRollups };
}
