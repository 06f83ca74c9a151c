import type { ColumnMetaData, Compressors, SchemaTree } from 'hyparquet';
import { MAX_BITS, readHybrid } from './read-hybrid.ts';
import { ThriftReader, type ThriftStruct } from './thrift-reader.ts';

/** A column of a row group that has one value, or none, a row, in the plainest encodings: most columns of most files. */
export interface FlatColumn {
  readonly metadata: ColumnMetaData;
  /** Rows may lack a value. */
  readonly isOptional: boolean;
  readonly compressors: Compressors;
  /** What a number or the bytes of a text stand for. */
  readonly convert: (raw: number | bigint | Uint8Array) => unknown;
}

/** @returns whether the column's values can be read by `readFlatColumn`: without lists, in a type and in encodings that it knows */
export function isFlat({ element, children, path }: SchemaTree, { type, encodings }: ColumnMetaData): boolean {
  return (
    children.length === 0 &&
    path.length === 1 &&
    element.repetition_type !== 'REPEATED' &&
    (type === 'INT32' || type === 'INT64' || type === 'BYTE_ARRAY') &&
    encodings.every((it) => ENCODINGS.has(it))
  );
}

const ENCODINGS: ReadonlySet<string> = new Set(['PLAIN', 'RLE', 'PLAIN_DICTIONARY', 'RLE_DICTIONARY']);

/** Types of pages, and of the encodings of their values. */
const PAGES = { data: 0, dictionary: 2, dataV2: 3 } as const;
const PLAIN = 0;

/**
 * The library makes a list of levels for every value and assembles the values by it, also where there are no lists and nothing is missing: that took
 * a third of a load's time.
 * @param chunk the column's bytes of one row group
 * @returns its values of the rows [from, to) of the group, null where there is none; fewer where the chunk ends early
 * @throws Error where the bytes are not such a column
 */
export function readFlatColumn(
  chunk: Uint8Array,
  column: FlatColumn,
  { from, to }: { readonly from: number; readonly to: number },
): unknown[] {
  const out = new Array<unknown>(to - from);
  let dictionary: readonly unknown[] = [];
  let row = 0;
  for (let at = 0; row < to && at < chunk.length; ) {
    const reader = new ThriftReader(chunk, at);
    const header = reader.struct();
    at = reader.at + numberIn(header, 3);
    const stored = chunk.subarray(reader.at, at);
    const size = numberIn(header, 2);
    const type = numberIn(header, 1);
    if (type === PAGES.dictionary) {
      const count = numberIn(structIn(header, 7), 1);
      dictionary = readPlain(unpack(stored, size, column), count, column);
      continue;
    }
    if (type !== PAGES.data && type !== PAGES.dataV2) continue;
    const own = structIn(header, type === PAGES.data ? 5 : 8);
    const rows = numberIn(own, 1);
    if (row + rows > from) {
      const page = type === PAGES.data ? openPage(stored, size, own, column) : openPageV2(stored, size, own, column);
      const values = readPage(page, dictionary, column);
      const end = Math.min(rows, to - row);
      for (let i = Math.max(0, from - row); i < end; i++) out[row + i - from] = values[i];
    }
    row += rows;
  }
  out.length = Math.max(0, Math.min(row, to) - from);
  return out;
}

/** A data page: its rows, which of them have a value (all, where that is not said), and the values. */
interface Page {
  readonly rows: number;
  readonly present: Uint32Array | undefined;
  readonly encoding: number;
  readonly values: Uint8Array;
}

function openPage(stored: Uint8Array, size: number, header: ThriftStruct, column: FlatColumn): Page {
  const rows = numberIn(header, 1);
  const bytes = unpack(stored, size, column);
  const encoding = numberIn(header, 2);
  if (!column.isOptional) return { rows, present: undefined, encoding, values: bytes };
  const end = 4 + viewOf(bytes).getUint32(0, true);
  return { rows, present: readPresent(bytes, 4, end, rows), encoding, values: bytes.subarray(end) };
}

/** Pages of version 2 have what is missing before the compressed bytes. */
function openPageV2(stored: Uint8Array, size: number, header: ThriftStruct, column: FlatColumn): Page {
  const rows = numberIn(header, 1);
  const end = numberIn(header, 5) + numberIn(header, 6);
  const present = column.isOptional ? readPresent(stored, numberIn(header, 6), end, rows) : undefined;
  const rest = stored.subarray(end);
  const values = header.get(7) === 0 ? rest : unpack(rest, size - end, column);
  return { rows, present, encoding: numberIn(header, 4), values };
}

function readPresent(bytes: Uint8Array, at: number, end: number, rows: number): Uint32Array | undefined {
  const present = new Uint32Array(rows);
  readHybrid(bytes, at, Math.min(end, bytes.length), 1, present);
  return present.includes(0) ? present : undefined;
}

function readPage({ rows, present, encoding, values }: Page, dictionary: readonly unknown[], column: FlatColumn) {
  const count = present === undefined ? rows : present.reduce((sum, it) => sum + it, 0);
  const read = encoding === PLAIN ? readPlain(values, count, column) : lookUp(values, count, dictionary);
  if (present === undefined) return read;
  let next = 0;
  return Array.from(present, (it) => (it === 0 ? null : read[next++]));
}

function lookUp(bytes: Uint8Array, count: number, dictionary: readonly unknown[]): unknown[] {
  const codes = new Uint32Array(count);
  const bits = bytes[0] ?? 0;
  if (bits > MAX_BITS) throw new Error(`a dictionary has codes of ${bits} bits`);
  if (bits > 0) readHybrid(bytes, 1, bytes.length, bits, codes);
  const values = new Array<unknown>(count);
  for (let i = 0; i < count; i++) {
    const code = codes[i] as number; // i < count
    if (code >= dictionary.length) throw new Error(`value ${code} of a dictionary of ${dictionary.length}`);
    values[i] = dictionary[code];
  }
  return values;
}

function readPlain(bytes: Uint8Array, count: number, { metadata: { type }, convert }: FlatColumn): unknown[] {
  const view = viewOf(bytes);
  const values = new Array<unknown>(count);
  if (type === 'INT32') {
    for (let i = 0; i < count; i++) values[i] = convert(view.getInt32(4 * i, true));
  } else if (type === 'INT64') {
    for (let i = 0; i < count; i++) {
      const number = view.getInt32(8 * i + 4, true) * 2 ** 32 + view.getUint32(8 * i, true);
      values[i] = convert(Number.isSafeInteger(number) ? number : view.getBigInt64(8 * i, true));
    }
  } else {
    for (let i = 0, at = 0; i < count; i++) {
      const from = at + 4;
      at = from + view.getUint32(at, true);
      if (at > bytes.length) throw new Error('a page ends early');
      values[i] = convert(bytes.subarray(from, at));
    }
  }
  return values;
}

/** @throws Error where it is not compressed as the file says */
function unpack(stored: Uint8Array, size: number, { metadata: { codec }, compressors }: FlatColumn): Uint8Array {
  const bytes = codec === 'UNCOMPRESSED' ? stored : compressors[codec]?.(stored, size);
  if (bytes?.length !== size) throw new Error(`a page has ${bytes?.length} bytes, not ${size}`);
  return bytes;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function numberIn(struct: ThriftStruct, field: number): number {
  const value = struct.get(field);
  return typeof value === 'number' ? value : 0;
}

function structIn(struct: ThriftStruct, field: number): ThriftStruct {
  const value = struct.get(field);
  if (typeof value !== 'object') throw new Error(`a page header lacks field ${field}`);
  return value;
}
