import type { CodedKeys } from './coded-keys.ts';
import type { Codes } from './column.ts';

/** A column to sort rows by: codes of [0, size). */
interface SortColumn {
  readonly codes: Codes;
  readonly size: number;
}

/** Columns are combined as long as the product of their sizes stays within this: the counters of a sort then fit the processor's cache. */
const MAX_COMBINED_SIZE = 1 << 14;

/**
 * @returns at most as many columns, which sort the rows in the same order; two rows are equal in them exactly if they are in the given ones. Adjacent
 * columns are combined, and constant ones are dropped.
 */
export function combineColumns(columns: readonly CodedKeys[], rows: number): SortColumn[] {
  const combined: SortColumn[] = [];
  for (const { dictionary, codes } of columns) {
    const size = dictionary.length;
    if (size <= 1) continue;
    const last = combined.at(-1);
    if (last === undefined || last.size * size > MAX_COMBINED_SIZE) {
      combined.push({ codes, size });
      continue;
    }
    const both = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) both[row] = (last.codes[row] ?? 0) * size + (codes[row] ?? 0);
    combined[combined.length - 1] = { codes: both, size: last.size * size };
  }
  return combined;
}

// Below, codes are within [0, size) and `order` holds row numbers: every index is in range.

/** @returns the row numbers, sorted by all columns ascending, the first column most significant: one stable counting sort per column */
export function sortRows(columns: readonly SortColumn[], rows: number): Uint32Array {
  let order = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) order[row] = row;
  let target = new Uint32Array(rows);
  for (const { codes, size } of columns.toReversed()) {
    const next = new Uint32Array(size + 1);
    for (let row = 0; row < rows; row++) next[(codes[row] ?? 0) + 1] = (next[(codes[row] ?? 0) + 1] ?? 0) + 1;
    for (let code = 1; code < next.length; code++) next[code] = (next[code] ?? 0) + (next[code - 1] ?? 0);
    for (let i = 0; i < rows; i++) {
      const row = order[i] ?? 0;
      const code = codes[row] ?? 0;
      const at = next[code] ?? 0;
      target[at] = row;
      next[code] = at + 1;
    }
    [order, target] = [target, order];
  }
  return order;
}

/** @returns the groups of equal rows: the index in `order` at which each begins, followed by the length of `order` */
export function findEqualRows(columns: readonly SortColumn[], order: Uint32Array): Uint32Array {
  const begins = new Uint8Array(order.length + 1);
  begins[0] = 1;
  begins[order.length] = 1;
  for (const { codes } of columns) {
    let before = order.length === 0 ? 0 : (codes[order[0] ?? 0] ?? 0);
    for (let i = 1; i < order.length; i++) {
      const code = codes[order[i] ?? 0] ?? 0;
      if (code !== before) begins[i] = 1;
      before = code;
    }
  }
  let count = 0;
  for (let i = 0; i < begins.length; i++) count += begins[i] ?? 0;
  const starts = new Uint32Array(count);
  for (let i = 0, next = 0; i < begins.length; i++) if (begins[i] === 1) starts[next++] = i;
  return starts;
}
