import type { FactTable } from '../catalog/tables.ts';
import { type CodedRows, type EncodedRows, encodeDay, type FactRows } from '../columns/build-day.ts';
import { type Cube, cubesOf, rollUpDay } from '../columns/rollup.ts';
import type { SpilledDay } from './spill-facts.ts';

/** What becomes of one day's rows. */
export interface EncodedSpill {
  readonly encoded: EncodedRows;
  /** The day's part of the month's rollups. */
  readonly rolled: ReadonlyMap<Cube, FactRows>;
}

/**
 * Sums, encodes and rolls up one day.
 * @param day of the month, 1–31
 */
export function encodeSpilled(
  table: FactTable,
  day: number,
  { rows, keys, measures, users }: SpilledDay,
): EncodedSpill {
  const facts: CodedRows = { rows, keys, measures, ...(users === undefined ? {} : { users: { rows, ...users } }) };
  const rolled = cubesOf(table).map((cube) => [cube, rollUpDay(cube, day, facts)] as const);
  return { encoded: encodeDay(table, facts), rolled: new Map(rolled) };
}
