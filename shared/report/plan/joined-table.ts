import { getRandomValues } from 'node:crypto';
import type { DimensionTable } from '../../catalog/definitions.ts';
import { DIMENSION_COLUMNS } from '../../catalog/dimension-tables.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import type { KeyValue } from '../../columns/column.ts';
import { decodeKeys, expandKeys } from '../../columns/keys.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { takeTurn } from '../../lib/turns.ts';

/** Receives the bytes that are about to be allocated; it throws where they do not fit into memory. */
export type Hold = (bytes: number) => void;

/** Memory per row: its place in the map, and a value per column; and per distinct text, besides its characters. */
const [ROW_BYTES, VALUE_BYTES, TEXT_BYTES] = [48, 8, 16];

/** A random number per process, for each half of an integer. */
const [HIGH_SEED = 0, LOW_SEED = 0] = getRandomValues(new Uint32Array(2));
const LOW_RANGE = 2 ** 32;
/** The high half of an integer below 2^53. */
const HIGH_MASK = 2 ** 21 - 1;

/**
 * V8 hashes numbers without a seed: 100,000 chosen ids of placements, which are numbers of a file, made each report with names of placements take 11.5 s.
 * @returns another integer for each id, by which a Map finds its row, and which nobody outside knows
 */
function hideId(key: KeyValue): KeyValue {
  if (typeof key !== 'number') return key; // V8 hashes texts with a seed
  const high = (Math.floor(key / LOW_RANGE) ^ HIGH_SEED) & HIGH_MASK;
  return high * LOW_RANGE + ((key ^ LOW_SEED) >>> 0);
}

/** The lengths of the distinct values of a column, in UTF-16 code units. */
export interface TextLengths {
  readonly total: number;
  readonly longest: number;
}

export const NO_TEXT: TextLengths = { total: 0, longest: 0 };

/** A dimension table, decoded: the row of each key, and the columns that the report needs. */
export class JoinedTable {
  readonly #rowOf = new Map<KeyValue, number>();
  readonly #columns = new Map<string, readonly KeyValue[]>();
  readonly #lengths = new Map<string, TextLengths>();
  readonly #key: string;

  private constructor(table: DimensionTable) {
    this.#key = DIMENSION_COLUMNS[table][0];
  }

  static async decode(
    table: DimensionTable,
    { rows, columns }: EncodedTable,
    deadline: Deadline,
    hold: Hold,
  ): Promise<JoinedTable> {
    const joined = new JoinedTable(table);
    hold(rows * (ROW_BYTES + columns.size * VALUE_BYTES));
    for (const [name, encoded] of columns) {
      await takeTurn(deadline);
      const keys = decodeKeys(encoded, `${table}.${name}`);
      const lengths = lengthsOf(keys.dictionary);
      hold(keys.dictionary.length * TEXT_BYTES + 2 * lengths.total);
      joined.#lengths.set(name, lengths);
      joined.#columns.set(name, expandKeys(keys));
    }
    joined.#columns.get(joined.#key)?.forEach((value, row) => {
      deadline.spend();
      joined.#rowOf.set(hideId(value), row);
    });
    return joined;
  }

  get keys(): readonly KeyValue[] {
    return this.#columns.get(this.#key) ?? [];
  }

  lengthsOf(column: string): TextLengths {
    return this.#lengths.get(column) ?? NO_TEXT;
  }

  /** @returns the column's value in the row of `key`; null where there is no such row */
  get(key: KeyValue, column: string): KeyValue {
    const row = this.#rowOf.get(hideId(key));
    return row === undefined ? null : (this.#columns.get(column)?.[row] ?? null);
  }
}

function lengthsOf(values: readonly KeyValue[]): TextLengths {
  let [total, longest] = [0, 0];
  for (const value of values) {
    if (typeof value !== 'string') continue;
    total += value.length;
    longest = Math.max(longest, value.length);
  }
  return { total, longest };
}
