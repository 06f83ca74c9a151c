import type { ColumnMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js';
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';

const MAX_VARINT_BYTES = 10;
/** Values beyond the last one of a page: writers fill up blocks. */
const MAX_PADDING = 4096;
/** A `u32`: the length before the runs of levels and booleans, except levels of the second version, and before each plain text. */
const LENGTH_BYTES = 4;
/** More than the entries of a dictionary need. The library misreads bit-packed values of more bits. */
const MAX_CODE_BITS = 24;
/** The library reads counts as integers of 32 bits, and larger ones as negative. */
const MAX_COUNT = 2 ** 31 - 1;
const MAX_DELTA_BITS = 64;
/** Bits of a value. The schema states the bytes of a FIXED_LEN_BYTE_ARRAY. */
const BITS: { readonly [type in ColumnMetaData['type']]?: number } = {
  BOOLEAN: 1,
  INT32: 32,
  FLOAT: 32,
  INT64: 64,
  DOUBLE: 64,
  INT96: 96,
};
/** The format defines the lengths of blocks and of miniblocks as multiples of these. */
const BLOCK = 128;
const MINIBLOCK = 32;

/**
 * Checks the lengths and counts in a page, which the library uses as they are: a run of 2³¹ − 1 values exhausts the memory, −1 miniblocks never end, and a
 * last text may extend over the pages that follow.
 * @param page levels and values, decompressed
 * @returns the number of bytes that texts copy from those before them, as DELTA_BYTE_ARRAY has it
 * @throws Error if one does not match the page
 */
export function checkContent(
  header: PageHeader,
  page: Uint8Array,
  type: ColumnMetaData['type'],
  schemaPath: readonly SchemaTree[],
): number {
  const { data_page_header: first, data_page_header_v2: second, dictionary_page_header: dictionary } = header;
  const reader = new ContentReader(page);
  const { num_values: rows, encoding } = dictionary ?? first ?? second ?? { num_values: 0, encoding: 'PLAIN' };
  const values = dictionary === undefined ? skipLevels(reader, header, [...schemaPath]) : rows;
  if (!(values >= 0 && values <= rows)) throw new Error(`parquet page of ${rows} rows has ${values} values`);
  if (dictionary !== undefined && encoding !== 'PLAIN' && encoding !== 'PLAIN_DICTIONARY')
    throw new Error(`parquet dictionary with the encoding ${encoding}`);
  // even of no values, the library reads the head of the differences, with integers of any length
  if (values === 0 && encoding !== 'DELTA_BINARY_PACKED') return 0;
  if (encoding === 'DELTA_BINARY_PACKED') reader.delta(values, type === 'INT64' ? MAX_INT64_ZIGZAG : MAX_INT32_ZIGZAG);
  else if (encoding === 'DELTA_LENGTH_BYTE_ARRAY') reader.texts(new Int32Array(values), reader.lengths(values));
  else if (encoding === 'DELTA_BYTE_ARRAY') return reader.texts(reader.lengths(values), reader.lengths(values));
  else if (dictionary !== undefined || encoding === 'PLAIN' || encoding === 'BYTE_STREAM_SPLIT') {
    if (type === 'BYTE_ARRAY') reader.plainTexts(values);
    else reader.skip(Math.ceil((values * (BITS[type] ?? 8 * (schemaPath.at(-1)?.element.type_length ?? 0))) / 8));
  } else if (second === undefined ? type === 'BOOLEAN' : encoding === 'RLE') {
    // run-length booleans: the library recognizes them by the type in pages of the first version, by the encoding in those of the second
    reader.offset += LENGTH_BYTES;
    reader.runs(1, values);
  } else {
    const width = reader.byte();
    // in pages of the first version, the library reads no runs of codes of 0 bits
    if (width > 0 || second !== undefined) reader.runs(width, values);
  }
  return 0;
}

/** @returns how many of the page's `num_values` are stored: not null, and not an empty list */
function skipLevels(reader: ContentReader, header: PageHeader, schemaPath: SchemaTree[]): number {
  const { data_page_header: first, data_page_header_v2: second } = header;
  const { num_values: rows = 0 } = first ?? second ?? {};
  const maxRepetition = getMaxRepetitionLevel(schemaPath);
  const maxDefinition = getMaxDefinitionLevel(schemaPath);
  if (second !== undefined) {
    const { repetition_levels_byte_length: repetition, definition_levels_byte_length: definition } = second;
    if (maxRepetition > 0) reader.levels(maxRepetition, rows, repetition);
    reader.offset = repetition;
    if (maxDefinition > 0) reader.levels(maxDefinition, rows, definition);
    else if (definition > 0) throw new Error('parquet page is damaged: a required column has definition levels');
    return rows - second.num_nulls;
  }
  if (maxRepetition > 0) reader.levels(maxRepetition, rows);
  return maxDefinition > 0 ? reader.levels(maxDefinition, rows) : rows;
}

const [MAX_INT32_ZIGZAG, MAX_INT64_ZIGZAG] = [2 ** 32 - 1, Number.POSITIVE_INFINITY];
/** The library cuts a first value to 32 bits, so that all values of the page would be 2^31 too low. DuckDB writes such pages with PARQUET_VERSION V2. */
const UNSIGNED =
  'parquet page begins with an unsigned 32-bit integer of 2147483648 or more as DELTA_BINARY_PACKED: write 64-bit integers';

export class ContentReader {
  readonly view: DataView;
  offset = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.view = new DataView(buffer, byteOffset, byteLength);
  }

  byte(): number {
    if (this.offset >= this.view.byteLength) throw new Error('parquet page ends too early');
    return this.view.getUint8(this.offset++);
  }

  #uint32(): number {
    if (this.offset + LENGTH_BYTES > this.view.byteLength) throw new Error('parquet page ends too early');
    this.offset += LENGTH_BYTES;
    return this.view.getUint32(this.offset - LENGTH_BYTES, true);
  }

  #varint(): number {
    let value = 0;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new Error('parquet page is damaged: an integer does not end');
  }

  /**
   * @param length in bytes; undefined if it precedes the levels
   * @returns how many levels are `max`
   */
  levels(max: number, rows: number, length = this.#uint32()): number {
    const width = 32 - Math.clz32(max);
    const start = this.offset;
    const end = start + length;
    if (end > this.view.byteLength) throw new Error('parquet page ends too early');
    const single = this.runs(width, rows, end);
    this.offset = start;
    if (single === max) {
      this.offset = end;
      return rows;
    }
    const levels = new Array<number>(rows);
    readRleBitPackedHybrid(this, width, levels, length);
    let count = 0;
    for (const level of levels) {
      if (!(level <= max)) throw new Error(`parquet page is damaged: it has the level ${level}, but at most ${max}`);
      if (level === max) count++;
    }
    return count;
  }

  /**
   * Run lengths and bit-packed values, which the library reads until it has enough. It reads a byte of each bit-packed run, even if the run has none:
   * runs after such a run are rejected.
   * @returns the value if a single repeated run has exactly `count`, and codes have 1 to 8 bits
   */
  runs(width: number, count: number, end: number = this.view.byteLength): number | undefined {
    if (width > MAX_CODE_BITS) throw new Error(`parquet page has codes of ${width} bits, more than ${MAX_CODE_BITS}`);
    let single: number | undefined;
    for (let seen = 0; seen < count; ) {
      const header = this.#varint();
      const isPacked = header % 2 === 1;
      const run = isPacked ? 4 * (header - 1) : header / 2; // a packed run has groups of 8 values
      if (run > count - seen + MAX_PADDING) throw new Error(`parquet page of ${count} values has a run of ${run}`);
      if (run < count - seen && isPacked && run * width === 0)
        throw new Error(`parquet page is damaged: a bit-packed run of ${run} values has no bytes`);
      if (run === count && seen === 0 && !isPacked && width > 0 && width <= 8) single = this.byte();
      else this.offset += Math.ceil(isPacked ? (Math.min(run, count - seen) * width) / 8 : width / 8);
      seen += run;
    }
    if (this.offset > end) throw new Error('parquet page ends too early');
    return single;
  }

  /**
   * Differences of integers in blocks of miniblocks, each with its number of bits.
   * @param maxFirst the largest first value, zigzag encoded
   */
  delta(count: number, maxFirst = MAX_INT32_ZIGZAG): void {
    const [block, miniblocks, total] = [this.#varint(), this.#varint(), this.#varint()];
    const size = block / miniblocks;
    if (!(block > 0 && block <= MAX_COUNT && block % BLOCK === 0 && size > 0 && size % MINIBLOCK === 0))
      throw new Error(`parquet page is damaged: it has blocks of ${block} values in ${miniblocks} miniblocks`);
    if (total !== count) throw new Error(`parquet page of ${count} values has ${total} differences`);
    if (this.#varint() > maxFirst) throw new Error(UNSIGNED);
    for (let left = count - 1; left > 0; ) {
      this.#varint();
      const widths = this.offset;
      this.offset += miniblocks;
      for (let i = 0; i < miniblocks && left > 0; i++, left -= size) {
        const bits = widths + i < this.view.byteLength ? this.view.getUint8(widths + i) : undefined;
        if (bits === undefined) throw new Error('parquet page ends too early');
        if (bits > MAX_DELTA_BITS) throw new Error(`parquet page is damaged: it has differences of ${bits} bits`);
        this.offset += (size / 8) * bits;
      }
    }
    if (this.offset > this.view.byteLength) throw new Error('parquet page ends too early');
  }

  lengths(count: number): Int32Array {
    const start = this.offset;
    this.delta(count);
    this.offset = start;
    const lengths = new Int32Array(count);
    deltaBinaryUnpack(this, count, lengths);
    return lengths;
  }

  /** @returns the sum of the prefixes, each of which is copied from the text before */
  texts(prefixes: Int32Array, suffixes: Int32Array): number {
    let copied = 0;
    let previous = 0;
    for (const [i, suffix] of suffixes.entries()) {
      const prefix = prefixes[i] ?? 0;
      this.offset += suffix;
      const fits = suffix >= 0 && prefix >= 0 && prefix <= previous && this.offset <= this.view.byteLength;
      if (!fits) throw new Error(`parquet page is damaged: a text has ${prefix} + ${suffix} bytes`);
      copied += prefix;
      previous = prefix + suffix;
    }
    return copied;
  }

  plainTexts(count: number): void {
    for (let i = 0; i < count; i++) this.skip(this.#uint32());
  }

  skip(length: number): void {
    this.offset += length;
    if (this.offset > this.view.byteLength) throw new Error('parquet page ends too early');
  }
}
