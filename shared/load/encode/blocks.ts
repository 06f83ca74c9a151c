import type { KeyColumn, Measure } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { ByteReader, ByteWriter, type Width, widthOf } from '../../columns/bytes.ts';
import { NO_KEYS } from '../../columns/coded-keys.ts';
import type { Codes, KeyValue, ShopperData } from '../../columns/column.ts';
import type { StoredColumns } from '../schema/fact-columns.ts';

/** How the distinct values of a key column are written. */
const VALUES = { numbers: 0, texts: 1 } as const;
/** Takes the place of a width: all integers are equal, and written once. */
const CONSTANT = 0;
/** The typed array of each width. Their byte order is the machine's, since blocks are read on the machine that wrote them. */
const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
/** Hashes are written as their low 32 bits and the bits above. */
const HIGH = 2 ** 32;

/**
 * Writes blocks of rows column by column: the form in which rows are transferred between threads and stored in the temporary file. Keys are integers ≥ 0 or
 * texts, in a column all of one kind, or null. Measures are integers between -2^53 and 2^53. Blocks follow each other without a separator. Integers are a `u8` width and then all of that width (8 if any is negative), or, if all are equal and none is, a 0 and one
 * `varint`. The parts of a block:
 *
 * - `varint` rows
 * - per key column: `varint` number of distinct values, `u8` kind (`VALUES`), and an integer per value: null as 0, a number as number + 1, a text as
 *   its UTF-16 length + 1; of texts then `varint` bytes and the UTF-8 of all; unless there is only one value, a code per row, as narrow as their number allows
 * - per measure: an integer per row
 * - if there are shoppers: their number per row, as integers; then the low parts of all hashes (`u32`), and the high parts (`u16`)
 */
export class BlockWriter {
  readonly #columns: StoredColumns;
  readonly #facts: FactRows;
  readonly #writer = new ByteWriter();
  /** By key column and code, 1 + the code in the block; 0 if the block has none yet, and everywhere between blocks. */
  readonly #blockCodes: ReadonlyMap<KeyColumn, Uint32Array>;

  constructor(columns: StoredColumns, facts: FactRows) {
    this.#columns = columns;
    this.#facts = facts;
    this.#blockCodes = new Map(
      columns.keys.map((name) => [name, new Uint32Array(facts.keys.get(name)?.dictionary.length ?? 1)]),
    );
  }

  /** Appends a block with the given rows. @returns where it ends */
  write(rows: readonly number[]): number {
    this.#writer.varint(rows.length);
    for (const name of this.#columns.keys) this.#writeKeys(name, rows);
    for (const name of this.#columns.measures) this.#writeMeasure(name, rows);
    if (this.#columns.hasShoppers) this.#writeUsers(rows);
    return this.#writer.length;
  }

  /** @returns all blocks in a buffer of their own, which can be transferred */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#writer.finish();
  }

  // Below, rows are of the facts, and codes of the column's dictionary: every index is in range.

  #writeKeys(name: KeyColumn, rows: readonly number[]): void {
    const { dictionary, codes } = this.#facts.keys.get(name) ?? NO_KEYS;
    const blockCodes = this.#blockCodes.get(name) ?? new Uint32Array(1);
    const met: number[] = [];
    const own = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const code = codes[rows[i] ?? 0] ?? 0;
      if (blockCodes[code] === 0) blockCodes[code] = met.push(code);
      own[i] = (blockCodes[code] ?? 0) - 1;
    }
    for (const code of met) blockCodes[code] = 0;
    this.#writeValues(met.map((code) => dictionary[code] ?? null));
    if (met.length > 1) writeArray(this.#writer, own, widthOf(met.length - 1));
  }

  #writeValues(values: readonly KeyValue[]): void {
    const writer = this.#writer.varint(values.length);
    const areTexts = values.some((value) => typeof value === 'string');
    const numberOf = (value: KeyValue) => (typeof value === 'string' ? value.length : Number(value));
    writer.u8(areTexts ? VALUES.texts : VALUES.numbers);
    writeIntegers(
      writer,
      Float64Array.from(values, (value) => (value === null ? 0 : numberOf(value) + 1)),
    );
    if (!areTexts) return;
    const bytes = Buffer.from(values.join(''), 'utf8'); // null is joined as nothing
    writer.varint(bytes.length).raw(bytes);
  }

  #writeMeasure(name: Measure, rows: readonly number[]): void {
    const values = this.#facts.measures.get(name);
    const own = new Float64Array(rows.length);
    if (values !== undefined) for (let i = 0; i < rows.length; i++) own[i] = values[rows[i] ?? 0] ?? 0;
    writeIntegers(this.#writer, own);
  }

  #writeUsers(rows: readonly number[]): void {
    const { offsets, hashes } = this.#facts.shoppers ?? { offsets: new Uint32Array(0), hashes: new Float64Array(0) };
    const counts = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0;
      counts[i] = (offsets[row + 1] ?? 0) - (offsets[row] ?? 0);
    }
    writeIntegers(this.#writer, counts);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const low = new Uint32Array(total);
    const high = new Uint16Array(total);
    let at = 0;
    for (const row of rows) {
      const end = offsets[row + 1] ?? 0;
      for (let i = offsets[row] ?? 0; i < end; i++) {
        low[at] = hashes[i] ?? 0; // takes the low 32 bits
        high[at++] = (hashes[i] ?? 0) / HIGH;
      }
    }
    writeArray(this.#writer, low, 4);
    writeArray(this.#writer, high, 2);
  }
}

function writeIntegers(writer: ByteWriter, values: Float64Array): void {
  const [first = 0] = values;
  let [min, max] = [first, first];
  let isConstant = true;
  for (let i = 1; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (value !== first) isConstant = false;
    if (value > max) max = value;
    if (value < min) min = value;
  }
  if (isConstant && min >= 0) {
    writer.u8(CONSTANT).varint(first);
    return;
  }
  const width = min < 0 ? 8 : widthOf(max);
  writeArray(writer.u8(width), values, width);
}

/** Writes all values at the width, which holds each of them. */
function writeArray(writer: ByteWriter, values: Float64Array | Uint16Array | Codes, width: Width): void {
  writer.raw(new Uint8Array(new ARRAYS[width](values).buffer));
}

/**
 * Reads what `BlockWriter` has written, any number of blocks.
 * @param rows number of rows of all blocks
 * @returns the rows of all blocks in their order, the keys of a column coded by one dictionary, in any order
 * @throws CorruptColumnError when the bytes are not such blocks
 */
export function readBlocks(columns: StoredColumns, rows: number, bytes: Uint8Array): FactRows {
  const reader = new ByteReader(bytes, 'rows of a load');
  const keys = columns.keys.map((name) => [name, new KeysReader(rows)] as const);
  const measures = columns.measures.map((name) => [name, new Float64Array(rows)] as const);
  const shoppers = columns.hasShoppers ? new ShoppersReader(rows) : undefined;
  for (let row = 0; row < rows; ) {
    const count = reader.varint();
    if (count === 0 || row + count > rows) throw reader.corrupt(`${count} rows, but ${rows - row} are left`);
    for (const [, column] of keys) column.read(reader, row, count);
    for (const [, column] of measures) readIntegers(reader, column, row, count);
    shoppers?.read(reader, row, count);
    row += count;
  }
  reader.end();
  return {
    rows,
    keys: new Map(keys.map(([name, { dictionary, codes }]) => [name, { dictionary, codes }])), // without the readers, whose maps may be large
    measures: new Map(measures),
    ...(shoppers === undefined ? {} : { shoppers: shoppers.finish() }),
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
class KeysReader {
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
    for (let i = 0; i < count; i++) this.codes[at + i] = codes[given[i] ?? 0] ?? 0;
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

/** Reads the shoppers of the rows block by block. */
class ShoppersReader {
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
    for (let i = 0; i < hashes.length; i++) hashes[i] = (low[i] ?? 0) + (high[i] ?? 0) * HIGH;
    this.#parts.push(hashes);
  }

  finish(): ShopperData {
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
