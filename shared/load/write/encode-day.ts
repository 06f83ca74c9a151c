import type { FactTable } from '../../catalog/tables.ts';
import { type EncodedRows, encodeSummedDay, type FactRows, type SummedRows, sumDay } from '../../columns/build-day.ts';
import { type Cube, cubesOf, rollUpDay } from '../../columns/rollup.ts';
import { formatDay } from '../../lib/calendar.ts';
import { storedColumns } from '../code/code-facts.ts';
import { type Example, type Finding, Tally } from '../code/fact-warnings.ts';
import { readBlocks } from '../code/read-blocks.ts';
import type { TimeZone } from '../schema/time-zone.ts';

/** One day of a fact table, as it is written. */
export interface EncodedDay {
  readonly encoded: EncodedRows;
  /** The day's part of the month's rollups. */
  readonly rolled: ReadonlyMap<Cube, FactRows>;
  /** Suspicious rows, after rows with equal keys were summed. */
  readonly findings: readonly Finding[];
}

const HOUR_SECONDS = 3_600;

/**
 * Sums, encodes and rolls up the rows of one day.
 * @param day its day number
 * @param blocks the blocks of its rows
 * @param zone the platform's, for the hours of activity
 */
export function encodeDay(table: FactTable, day: number, rows: number, blocks: Uint8Array, zone: TimeZone): EncodedDay {
  const facts = sumDay(table, readBlocks(storedColumns(table), rows, blocks));
  const date = formatDay(day);
  const rolled = cubesOf(table).map((cube) => [cube, rollUpDay(cube, Number(date.slice(8)), facts)] as const);
  const findings = table === 'activity' ? checkActivity(facts, date, zone.secondsOfHours(day)) : [];
  return { encoded: encodeSummedDay(facts), rolled: new Map(rolled), findings };
}

/**
 * @param facts rows with equal keys summed: one per ad group and hour
 * @param secondsOfHours how long each hour of the day lasts in the platform's zone
 * @returns the suspicious rows
 */
function checkActivity(
  { rows, keys, measures }: SummedRows,
  date: string,
  secondsOfHours: readonly number[],
): Finding[] {
  const overlong = new Tally('overlongActivity');
  const unscheduled = new Tally('unscheduledActivity');
  const keyOf = (name: 'hour' | 'ad_group_id', row: number) => {
    const column = keys.get(name);
    return Number(column?.dictionary[column.codes[row] ?? 0]);
  };
  const live = (row: number) => measures.get('live_seconds')?.[row] ?? 0;
  const scheduled = (row: number) => measures.get('scheduled_seconds')?.[row] ?? 0;
  for (let row = 0; row < rows; row++) {
    const seconds = secondsOfHours[keyOf('hour', row)] || HOUR_SECONDS; // skipped hours have a warning of their own
    if (live(row) > seconds) overlong.add(row, row);
    if (live(row) > scheduled(row)) unscheduled.add(row, row);
  }
  const describe = (row: number, what: string): Example => ({
    what: `${what} of ad group ${keyOf('ad_group_id', row)} in hour ${keyOf('hour', row)} of ${date}`,
  });
  const format = (seconds: number) => seconds.toLocaleString('en-US');
  return [
    ...overlong.find((row) => describe(row, format(live(row)))),
    ...unscheduled.find((row) => describe(row, `${format(live(row))} against ${format(scheduled(row))}`)),
  ];
}
