import type { KeyColumn } from '../../catalog/tables.ts';
import type { CodedRows } from '../../columns/build-day.ts';
import { ByteReader, type Width, widthOf } from '../../columns/bytes.ts';
import type { KeyValue, UserData } from '../../columns/column.ts';
import type { CodedKeys } from '../../columns/keys.ts';
import { ARRAYS, type BlockShape, CONSTANT, HIGH, VALUES } from './write-block.ts';

/** Rows whose keys are all coded. */
export interface BlockRows extends CodedRows {
  readonly keys: ReadonlyMap<KeyColumn, CodedKeys>;
}

/**
 * Reads what `writeBlock` has written, any number of blocks.
 * @param rows number of rows of all blocks
 * @returns the rows of all blocks in their order, the keys of a column coded by one dictionary, in any order
 * @throws CorruptColumnError when the bytes are not such blocks
 */
export function readBlocks(shape: BlockShape, rows: number, bytes: Uint8Array): BlockRows {
  const reader = new ByteReader(bytes, 'rows of a load');
  const keys = shape.keys.map((name) => [name, new KeysReader(rows)] as const);
  const measures = shape.measures.map((name) => [name, new Float64Array(rows)] as const);
  const users = shape.hasUsers ? new UsersReader(rows) : undefined;
  for (let row = 0; row < rows; ) {
    const count = reader.varint();
    if (count === 0 || row + count > rows) throw reader.corrupt(`${count} rows, but ${rows - row} are left`);
    for (const [, column] of keys) column.read(reader, row, count);
    for (const [, column] of measures) readIntegers(reader, column, row, count);
    users?.read(reader, row, count);
    row += count;
  }
  reader.end();
  return {
    rows,
    keys: new Map(keys),
    measures: new Map(measures),
    ...(users === undefined ? {} : { users: users.finish() }),
  };
}

function readIntegers(reader: ByteReader, out: Float64Array, at: number, count: number): void {
  const width = reader.u8();
  if (width === CONSTANT) out.fill(reader.varint(), at, at + count);
  else out.set(readArray(reader, count, widthIn(width, reader)), at);
}

function widthIn(width: number, reader: ByteReader): Width {
  if (width !== 1 && width !== 2 && width !== 4 && width !== 8) throw reader.corrupt(`integers of ${width} bytes`);
  return width;
}

function readArray(reader: ByteReader, count: number, width: Width): ArrayLike<number> {
  const bytes = reader.raw(count * width);
  return width === 1 ? bytes : new ARRAYS[width](bytes.slice().buffer); // a copy, since arrays begin at multiples of their width
}

/** Reads a key column block by block, and turns each block's codes into codes of all blocks. */
class KeysReader implements CodedKeys {
  readonly dictionary: KeyValue[] = [];
  readonly codes: Uint32Array;
  readonly #codeOf = new Map<KeyValue, number>();

  constructor(rows: number) {
    this.codes = new Uint32Array(rows);
  }

  read(reader: ByteReader, at: number, count: number): void {
    const codes = Uint32Array.from(readValues(reader), (value) => this.#encode(value));
    if (codes.length <= 1) {
      this.codes.fill(codes[0] ?? 0, at, at + count);
      return;
    }
    const given = readArray(reader, count, widthOf(codes.length - 1));
    for (let i = 0; i < count; i++) this.codes[at + i] = codes[given[i] as number] ?? 0; // i < count, the length of given
  }

  #encode(value: KeyValue): number {
    let code = this.#codeOf.get(value);
    if (code === undefined) {
      code = this.dictionary.push(value) - 1;
      this.#codeOf.set(value, code);
    }
    return code;
  }
}

function readValues(reader: ByteReader): KeyValue[] {
  const numbers = new Float64Array(reader.varint());
  const kind = reader.u8();
  readIntegers(reader, numbers, 0, numbers.length);
  if (kind === VALUES.numbers) return Array.from(numbers, (number) => (number === 0 ? null : number - 1));
  const bytes = reader.raw(reader.varint());
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  let end = 0;
  return Array.from(numbers, (length) => {
    if (length === 0) return null;
    const from = end;
    end += length - 1;
    return text.slice(from, end);
  });
}

/** Reads the users of the rows block by block. */
class UsersReader {
  readonly #offsets: Uint32Array;
  readonly #parts: Float64Array[] = [];

  constructor(rows: number) {
    this.#offsets = new Uint32Array(rows + 1);
  }

  read(reader: ByteReader, at: number, count: number): void {
    const counts = new Float64Array(count);
    readIntegers(reader, counts, 0, count);
    const from = this.#offsets[at] ?? 0;
    let end = from;
    for (let i = 0; i < count; i++) {
      end += counts[i] ?? 0;
      this.#offsets[at + i + 1] = end;
    }
    if (end === from) return;
    const low = readArray(reader, end - from, 4);
    const high = readArray(reader, end - from, 2);
    const hashes = new Float64Array(end - from);
    for (let i = 0; i < hashes.length; i++) hashes[i] = (low[i] as number) + (high[i] as number) * HIGH; // all are as long
    this.#parts.push(hashes);
  }

  finish(): UserData {
    const rows = this.#offsets.length - 1;
    const hashes = new Float64Array(this.#offsets[rows] ?? 0);
    let at = 0;
    for (const part of this.#parts) {
      hashes.set(part, at);
      at += part.length;
    }
    return { rows, offsets: this.#offsets, hashes };
  }
}
