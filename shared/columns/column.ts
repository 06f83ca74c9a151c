/** A value of a key column: text, integer or decimal; null where the file has none. */
export type KeyValue = string | number | null;

/** Indices into a dictionary, one per row (or one per run). */
export type Codes = Uint8Array | Uint32Array;

/**
 * A key column of one segment, decoded: every row's value is `dictionary[codes[row]]`.
 * `constant`: one value for all rows. `runs`: rows `[ends[i-1], ends[i])` have the code `codes[i]`. `codes`: one code per row.
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

/** Integers as bytes that index a table of 256 places; unused ones are NaN. */
export interface TableValues {
  readonly codes: Uint8Array;
  readonly table: Float64Array;
}

/** Integers: as bytes where all are in [0, 256), as `table[codes[i]]` where at most 256 are distinct, or as doubles. */
export type Values = Uint8Array | TableValues | Float64Array;

/**
 * A measure column of one segment, decoded. Values are integers (already scaled, e.g. micros) between -2^53 and 2^53.
 * `constant`: the same value in all rows. `sparse`: one value per row of `positions` (ascending); all other rows are 0. `values`: one value per row.
 */
export type MeasureData = {
  readonly rows: number;
  /** The sum of the absolute values of all rows: exact below 2^53, and at least 2^53 where the exact sum is. */
  readonly size: number;
} & (
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'sparse'; readonly positions: Uint32Array; readonly values: Values }
  | { readonly kind: 'values'; readonly values: Values }
);

/** The hashed shoppers of each row: row r has `hashes[offsets[r]…offsets[r+1])`. Hashes are integers in [0, 2^48). */
export interface ShopperData {
  readonly rows: number;
  readonly offsets: Uint32Array;
  readonly hashes: Float64Array;
}

/** The rows of each shopper: the shopper `hashes[u]` (ascending) is in the rows `positions[offsets[u]…offsets[u+1])` (ascending). */
export interface ShopperRows {
  readonly rows: number;
  readonly hashes: Float64Array;
  readonly offsets: Uint32Array;
  readonly positions: Uint32Array;
}

/** The name of the column of shopper ids in fact files. */
export const SHOPPERS_COLUMN = 'users';

/**
 * Shoppers are stored in one column per band of hashes, [from, to). Hashes are uniformly distributed, so the first bands are a fair sample of the
 * shoppers: a report of large groups reads only those.
 */
export const SHOPPER_BANDS = [
  { column: 'users_0', from: 0, to: 2 ** 44 },
  { column: 'users_1', from: 2 ** 44, to: 2 ** 46 },
  { column: 'users_2', from: 2 ** 46, to: 2 ** 48 },
] as const;
