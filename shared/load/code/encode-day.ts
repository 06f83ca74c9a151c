import type { FactTable } from '../../catalog/tables.ts';
import { type EncodedRows, encodeSummedDay, type FactRows, sumDay } from '../../columns/build-day.ts';
import { type Cube, cubesOf, rollUpDay } from '../../columns/rollup.ts';
import { formatDay } from '../../lib/calendar.ts';
import { storedColumns } from '../schema/fact-columns.ts';
import { readBlocks } from './blocks.ts';
import { checkActivity, type Finding } from './fact-warnings.ts';

/** The rows of one day of a fact table. */
export interface DayBlocks {
  readonly table: FactTable;
  /** The day number. */
  readonly day: number;
  readonly rows: number;
  readonly blocks: Uint8Array;
  /** How long each hour of the day lasts. */
  readonly secondsOfHours: readonly number[];
}

/** One day of a fact table, as it is written. */
export interface EncodedDay {
  readonly encoded: EncodedRows;
  /** The day's part of the month's rollups. */
  readonly rolled: ReadonlyMap<Cube, FactRows>;
  /** Suspicious rows, after rows with equal keys were summed. */
  readonly findings: readonly Finding[];
}

/** Sums, encodes and rolls up the rows of one day. */
export function encodeDay({ table, day, rows, blocks, secondsOfHours }: DayBlocks): EncodedDay {
  const facts = sumDay(table, readBlocks(storedColumns(table), rows, blocks));
  const date = formatDay(day);
  const rolled = cubesOf(table).map((cube) => [cube, rollUpDay(cube, Number(date.slice(8)), facts)] as const);
  const findings = table === 'activity' ? checkActivity(facts, date, secondsOfHours) : [];
  return { encoded: encodeSummedDay(facts), rolled: new Map(rolled), findings };
}
