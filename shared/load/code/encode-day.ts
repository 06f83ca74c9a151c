import { ROLLUP_TABLES } from '../../catalog/rollup-keys.ts';
import type { FactTable } from '../../catalog/tables.ts';
import { encodeSummedDay, type FactRows, sortedKeyColumns, sumDay } from '../../columns/build-day.ts';
import { decodeRows, joinRows, keepRows, rollUpDay } from '../../columns/rollup.ts';
import { formatDay } from '../../lib/calendar.ts';
import { storedColumns } from '../schema/fact-columns.ts';
import { readBlocks } from './blocks.ts';

/** The rows that one advertiser, or for market the platform, has on one day in a fact table. */
export interface DayBlocks {
  readonly table: FactTable;
  /** The day number. */
  readonly day: number;
  readonly rows: number;
  /** The rows, as `BlockWriter` encodes them (`blocks.ts`). */
  readonly blocks: Uint8Array;
  /** The columns of the stored day, of which hours stay that the rows do not have; absent: none stays. */
  readonly stored?: ReadonlyMap<string, Uint8Array> | undefined;
}

/**
 * Sums, encodes and rolls up the rows of one day.
 * @returns the rows as they are written; their part of the month's rollup, undefined for market, which has none; and the hours that have rows, ascending
 */
export function encodeDay({ table, day, rows, blocks, stored }: DayBlocks) {
  const loaded = readBlocks(storedColumns(table), rows, blocks);
  const facts = sumDay(table, stored === undefined ? loaded : addOtherHours(table, loaded, stored));
  const rolled = ROLLUP_TABLES.includes(table) ? rollUpDay(Number(formatDay(day).slice(8)), facts) : undefined;
  return { encoded: encodeSummedDay(facts), rolled, hours: facts.keys.get('hour')?.dictionary.map(Number) ?? [] };
}

/** Both have no row with equal keys, so sums and users stay exact. */
function addOtherHours(table: FactTable, loaded: FactRows, stored: ReadonlyMap<string, Uint8Array>): FactRows {
  const keys = sortedKeyColumns(table);
  const hours = new Set(loaded.keys.get('hour')?.dictionary);
  const others = keepRows(decodeRows(keys, table, stored, table), 'hour', (hour) => !hours.has(hour));
  return joinRows(keys, [loaded, others]);
}
