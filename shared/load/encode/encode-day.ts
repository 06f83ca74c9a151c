import { isCustom } from '../../catalog/custom-fields.ts';
import { type BaseColumn, columnOf, type DayColumn, type FactTable, keyIn } from '../../catalog/tables.ts';
import { type FactRows, sortedKeyColumns, sumDay, sumRowsByKeys } from '../../columns/build-day.ts';
import { NO_KEYS } from '../../columns/coded-keys.ts';
import { type KeyValue, SHOPPERS_COLUMN } from '../../columns/column.ts';
import { joinRows, keepRows, rollUpDay } from '../../columns/rollup.ts';
import { buildDay } from '../../columns/runs.ts';
import { ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
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
  /** The stored rows, of which hours stay that `blocks` does not have; absent: none stays. */
  readonly stored?: FactRows | undefined;
  /** The measures and keys that `blocks` has as 0 and null because no file has values of them. */
  readonly unmeasured: readonly DayColumn[];
}

/**
 * Sums, builds and rolls up the rows of one day.
 * @returns the day as it is written; its part of the month's rollup, undefined for market, which has none; the impressions of market, 0 in other tables; and the
 * key columns that have values, `users` among them; the custom ones that multiply rows; and the stored hours that it replaces, without those that it has twice
 */
export function encodeDay({ table, day, rows, blocks, stored, unmeasured }: DayBlocks) {
  const read = readBlocks(storedColumns(table), rows, blocks);
  const measures = [...read.measures].filter(([measure]) => !unmeasured.includes(columnOf(measure)));
  const { dictionary: hours, codes } = read.keys.get('hour') ?? NO_KEYS;
  const ofClock = { dictionary: hours.map((hour) => hour && Number(hour) % 24), codes };
  const keys = [...new Map(read.keys).set('hour', ofClock)].filter(([key]) => !unmeasured.includes(keyIn(table, key)));
  const loaded = { ...read, keys: new Map(keys), measures: new Map(measures) };
  const all = stored === undefined ? loaded : addOtherHours(table, loaded, stored);
  const facts = sumDay(table, all);
  const rolled = ROLLUP_TABLES.includes(table) ? rollUpDay(Number(formatDay(day).slice(8)), facts) : undefined;
  const names = [...facts.keys].flatMap(([name, { dictionary }]) => (dictionary.some(isPresent) ? [name] : []));
  const valued = [...names, ...(facts.shoppers?.hashes.length ? [SHOPPERS_COLUMN] : [])];
  const storedHours = stored?.keys.get('hour')?.dictionary ?? [];
  const isReplaced = (hour: KeyValue) => hours.includes(hour) !== hours.includes(Number(hour) + 24);
  const replacedHours = storedHours.filter(isReplaced).map(Number);
  const multiplied = [...facts.keys.keys()].filter((name) => isCustom(name) && multiplies(table, facts, name));
  return { built: buildDay(facts), rolled, impressions: marketImpressions(facts), valued, multiplied, replacedHours };
}

/** A custom dimension with more values than this in most rows makes days, and what reports read of them, that much larger. */
const MANY_VALUES = 5;

function multiplies(table: FactTable, { rows, keys }: FactRows, name: BaseColumn): boolean {
  const others = sortedKeyColumns(table).filter((other) => other !== name);
  return rows > MANY_VALUES * sumRowsByKeys(others, { rows, keys, measures: new Map() }).rows;
}

const isPresent = (value: unknown): boolean => value !== null;

/** @returns the impressions of the rows of market; 0 for other tables */
export function marketImpressions({ measures }: FactRows): number {
  return measures.get('market_impressions')?.reduce((sum, value) => sum + value, 0) ?? 0;
}

/** Both have no row with equal keys, so sums and shoppers stay exact. Where no stored hour stays, the day has the columns that were loaded. */
function addOtherHours(table: FactTable, loaded: FactRows, stored: FactRows): FactRows {
  const hours = new Set(loaded.keys.get('hour')?.dictionary);
  const others = keepRows(stored, 'hour', (hour) => !hours.has(hour));
  return others.rows === 0 ? loaded : joinRows(sortedKeyColumns(table), [loaded, others]);
}
