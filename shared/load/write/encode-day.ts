import type { FactTable } from '../../catalog/tables.ts';
import { type EncodedRows, encodeSummedDay, type FactRows, sumDay } from '../../columns/build-day.ts';
import { type Cube, cubesOf, rollUpDay } from '../../columns/rollup.ts';
import { formatDay } from '../../lib/calendar.ts';
import { readBlocks } from '../code/blocks.ts';
import { checkActivity, type Finding } from '../code/fact-warnings.ts';
import { storedColumns } from '../schema/fact-columns.ts';
import type { TimeZone } from '../schema/time-zone.ts';

/** One day of a fact table, as it is written. */
export interface EncodedDay {
  readonly encoded: EncodedRows;
  /** The day's part of the month's rollups. */
  readonly rolled: ReadonlyMap<Cube, FactRows>;
  /** Suspicious rows, after rows with equal keys were summed. */
  readonly findings: readonly Finding[];
}

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
