import { ByteReader, ByteWriter, widthOf } from './bytes.ts';
import { SHOPPER_BANDS, type ShopperData, type ShopperRows } from './column.ts';
import { readFrame, writeFrame } from './frame.ts';

/** A gap between hashes is written as its low 32 bits and its high 16: `high * HIGH + low`. */
const HIGH = 0x1_0000_0000;

/**
 * Stores the rows of each shopper instead of the shoppers of each row: hashes do not compress, and this way each is written once, not once per row.
 * @param shoppers hashes are integers in [0, 2^48), ascending and distinct within a row
 * @returns the encoded columns by name, one per band; empty bands are included, so that a missing column is an error
 */
export function encodeShoppers(shoppers: ShopperData): Map<string, Uint8Array> {
  if (shoppers.hashes.length === 0) {
    const none = writeFrame('shoppers', { rows: shoppers.rows, sum: 0 }, NO_SHOPPERS);
    return new Map(SHOPPER_BANDS.map(({ column }) => [column, none]));
  }
  const pairs = sortByHash(shoppers);
  return new Map(
    SHOPPER_BANDS.map(({ column, from, to }) => [
      column,
      writeFrame('shoppers', { rows: shoppers.rows, sum: 0 }, writeBand(pairs, from, to)),
    ]),
  );
}

/**
 * @param where the column's name in errors
 * @returns the shoppers of one band
 * @throws CorruptColumnError when the bytes are not a shopper column
 */
export function decodeShoppers(bytes: Uint8Array, where: string): ShopperRows {
  const { rows, payload } = readFrame('shoppers', bytes, where);
  const reader = new ByteReader(payload, where);
  const count = reader.u32();
  const total = reader.u32();
  const counts = reader.codes(count, reader.u8());
  const low = reader.codes(count, 4);
  const high = reader.codes(count, 2);
  const gaps = reader.codes(total, reader.u8());
  reader.end();
  const hashes = new Float64Array(count);
  const offsets = new Uint32Array(count + 1);
  const positions = new Uint32Array(total);
  let hash = 0;
  let next = 0;
  for (let shopper = 0; shopper < count; shopper++) {
    hash += (high[shopper] ?? 0) * HIGH + (low[shopper] ?? 0);
    hashes[shopper] = hash;
    let row = 0;
    for (let i = counts[shopper] ?? 0; i > 0; i--) {
      row += gaps[next] ?? 0;
      positions[next++] = row;
      if (row >= rows) throw reader.corrupt(`it has a shopper in row ${row}, but only ${rows} rows`);
      if (next > total) throw reader.corrupt(`its shoppers have more than ${total} rows`);
    }
    offsets[shopper + 1] = next;
  }
  if (next !== total) throw reader.corrupt(`its shoppers have ${next} rows instead of ${total}`);
  return { rows, hashes, offsets, positions };
}

/**
 * @param where the column's name in errors
 * @returns the number of pairs of a shopper and a row in the band, which is decompressed but not decoded
 * @throws CorruptColumnError when the bytes are not a shopper column
 */
export function countShopperPairs(bytes: Uint8Array, where: string): number {
  const reader = new ByteReader(readFrame('shoppers', bytes, where).payload, where);
  reader.u32(); // the number of shoppers
  return reader.u32();
}

/** Pairs of shopper and row, ascending by hash, then row. */
interface Pairs {
  readonly hashes: Float64Array;
  readonly rows: Uint32Array;
}

// Below, `order` holds indices of the hashes, and there is a row for each hash: every index is in range.

function sortByHash(shoppers: ShopperData): Pairs {
  const { hashes } = shoppers;
  const rowOf = new Uint32Array(hashes.length);
  for (let row = 0; row < shoppers.rows; row++) rowOf.fill(row, shoppers.offsets[row], shoppers.offsets[row + 1]);
  const order = sortedIndices(hashes);
  const sorted = { hashes: new Float64Array(hashes.length), rows: new Uint32Array(hashes.length) };
  for (let i = 0; i < order.length; i++) {
    sorted.hashes[i] = hashes[order[i] ?? 0] ?? 0;
    sorted.rows[i] = rowOf[order[i] ?? 0] ?? 0;
  }
  return sorted;
}

/** @returns the indices of the hashes in ascending order of hash: a stable radix sort by one byte after another */
function sortedIndices(hashes: Float64Array): Uint32Array {
  let order = new Uint32Array(hashes.length).map((_, i) => i);
  let target = new Uint32Array(hashes.length);
  const digits = new Uint8Array(hashes.length);
  for (let unit = 1; unit < 2 ** 48; unit *= 0x100) {
    const next = new Uint32Array(0x101);
    for (let i = 0; i < hashes.length; i++) {
      const digit = Math.floor((hashes[i] ?? 0) / unit) % 0x100;
      digits[i] = digit;
      next[digit + 1] = (next[digit + 1] ?? 0) + 1;
    }
    for (let digit = 1; digit < next.length; digit++) next[digit] = (next[digit] ?? 0) + (next[digit - 1] ?? 0);
    for (let i = 0; i < order.length; i++) {
      const index = order[i] ?? 0;
      const digit = digits[index] ?? 0;
      const at = next[digit] ?? 0;
      target[at] = index;
      next[digit] = at + 1;
    }
    [order, target] = [target, order];
  }
  return order;
}

function writeBand({ hashes, rows }: Pairs, from: number, to: number): Uint8Array {
  const start = lowerBound(hashes, from);
  const end = lowerBound(hashes, to);
  const low = new Uint32Array(end - start);
  const high = new Uint32Array(end - start);
  const counts = new Uint32Array(end - start);
  const gaps = new Uint32Array(end - start);
  let shoppers = 0;
  let previous = 0;
  let row = 0;
  for (let i = start; i < end; i++) {
    const hash = hashes[i] ?? 0;
    if (hash !== previous || shoppers === 0) {
      const gap = hash - previous;
      low[shoppers] = gap % HIGH;
      high[shoppers++] = Math.floor(gap / HIGH);
      previous = hash;
      row = 0;
    }
    counts[shoppers - 1] = (counts[shoppers - 1] ?? 0) + 1;
    gaps[i - start] = (rows[i] ?? 0) - row;
    row = rows[i] ?? 0;
  }
  const countWidth = widthOf(largest(counts));
  const gapWidth = widthOf(largest(gaps));
  return new ByteWriter()
    .u32(shoppers)
    .u32(gaps.length)
    .u8(countWidth)
    .array(counts.subarray(0, shoppers), countWidth)
    .array(low.subarray(0, shoppers), 4)
    .array(high.subarray(0, shoppers), 2)
    .u8(gapWidth)
    .array(gaps, gapWidth)
    .finish();
}

/** The payload of an empty band. */
const NO_SHOPPERS = writeBand({ hashes: new Float64Array(0), rows: new Uint32Array(0) }, 0, 0);

function largest(values: Uint32Array): number {
  let max = 0;
  for (let i = 0; i < values.length; i++) if ((values[i] ?? 0) > max) max = values[i] ?? 0;
  return max;
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
