/** A value of a key column: text, integer or decimal; null where the file has none. */
export type KeyValue = string | number | null;

/** Codes of a dictionary, one a row. */
export type Codes = Uint8Array | Uint32Array;

/**
 * A key column of one segment, decoded: every row's value is `dictionary[codes[row]]`.
 * `constant`: one value for all rows. `runs`: `codes[i]` holds for the rows `[ends[i-1], ends[i])`. `codes`: one code a row.
 */
export type KeyData =
  | { readonly kind: 'constant'; readonly rows: number; readonly dictionary: readonly KeyValue[] }
  | {
      readonly kind: 'runs';
      readonly rows: number;
      readonly dictionary: readonly KeyValue[];
      readonly codes: Codes;
      readonly ends: Uint32Array;
    }
  | { readonly kind: 'codes'; readonly rows: number; readonly dictionary: readonly KeyValue[]; readonly codes: Codes };

/** Whole numbers: `table[codes[i]]`, where few are distinct or all are below 256 (the table has 256 places, NaN where none is), or plainly. */
export type Values = { readonly codes: Uint8Array; readonly table: Float64Array } | Float64Array;

/**
 * A measure column of one segment, decoded; values are non-negative integers (already scaled, e.g. micros) below 2^53.
 * `constant`: the same value in all rows. `sparse`: rows not listed in `at` (ascending) are 0. `values`: one per row.
 */
export type MeasureData = {
  readonly rows: number;
  /** Of all rows: exact below 2^53; 2^53 or more where the exact sum is, too. */
  readonly sum: number;
} & (
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'sparse'; readonly at: Uint32Array; readonly values: Values }
  | { readonly kind: 'values'; readonly values: Values }
);

/** Hashed users of each row: row r has `hashes[offsets[r]…offsets[r+1])`. Hashes are integers in [0, 2^48). */
export interface UserData {
  readonly rows: number;
  readonly offsets: Uint32Array;
  readonly hashes: Float64Array;
}

/** The rows of each user, the other way round: user u, `hashes[u]` (ascending), is in the rows `at[offsets[u]…offsets[u+1])` (ascending). */
export interface UserRows {
  readonly rows: number;
  readonly hashes: Float64Array;
  readonly offsets: Uint32Array;
  readonly at: Uint32Array;
}

/** The name that files and messages call the users of fact rows by. */
export const USERS_COLUMN = 'users';

/**
 * Users are stored in bands of their hash, each a column: band i has the hashes of [from, to). A hash is as good as random, so the first
 * bands are a fair sample of the users: a report of large groups reads only those.
 */
export const USER_BANDS = [
  { column: 'users_0', from: 0, to: 2 ** 44 },
  { column: 'users_1', from: 2 ** 44, to: 2 ** 46 },
  { column: 'users_2', from: 2 ** 46, to: 2 ** 48 },
] as const;
