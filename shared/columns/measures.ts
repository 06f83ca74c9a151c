import { ByteReader, ByteWriter, widthOf } from './bytes.ts';
import type { Codes, MeasureData, TableValues, Values } from './column.ts';
import { readFrame, readFrameHeader, writeFrame } from './frame.ts';

const SHAPES = { constant: 0, sparse: 1, values: 2, signed: 3 } as const;
/** In place of a width: the values are bytes that index a table. */
const BY_TABLE = 0;
const TABLE_PLACES = 256;
/** Up to this share of non-zero rows, a column is sparse: positions and values are then smaller and faster to read. */
const MAX_SPARSE_SHARE = 0.25;

/**
 * Sizes are added up in doubles: their sum is exact below 2^53, and at least 2^53 where the exact sum is (rounding is monotonic). Below 2^53, the sum of the
 * values is exact, too.
 * @param values integers between -2^53 and 2^53, one per row
 * @returns the encoded measure column
 */
export function encodeMeasure(values: Float64Array | readonly number[]): Uint8Array {
  const rows = values.length;
  let [min, max] = [0, 0];
  let filled = 0;
  let [sum, size] = [0, 0];
  let constant = true;
  const first = values[0] ?? 0;
  for (let row = 0; row < rows; row++) {
    const value = values[row] ?? 0;
    sum += value;
    size += Math.abs(value);
    if (value !== 0) filled++;
    if (value > max) max = value;
    if (value < min) min = value;
    if (value !== first) constant = false;
  }
  const writer = new ByteWriter();
  if (constant) {
    writer.u8(SHAPES.constant).f64(first);
  } else {
    const range = min < 0 ? writeSigned(writer, size, min, max) : { base: 0, max };
    if (filled <= rows * MAX_SPARSE_SHARE) {
      writeSparse(writer, values, filled, range);
    } else {
      writer.u8(SHAPES.values);
      writeValues(writer, values, range);
    }
  }
  return writeFrame('measure', { rows, sum: size <= Number.MAX_SAFE_INTEGER ? sum : size }, writer.finish());
}

/** How values are written: `base` is added to each, and the sums are at most `max`. */
interface Range {
  readonly base: number;
  readonly max: number;
}

/** Values are written from 0, so that they are as narrow as their range. If that is too wide, they are written as doubles, whose sign needs no base. */
function writeSigned(writer: ByteWriter, size: number, min: number, max: number): Range {
  const base = max - min <= Number.MAX_SAFE_INTEGER ? -min : 0;
  writer.u8(SHAPES.signed).f64(size).varint(base);
  return { base, max: max - min };
}

/**
 * @param where the column's name in errors
 * @returns the decoded column, in the shape in which it is stored: constant, sparse or values
 * @throws CorruptColumnError when the bytes are not a measure column
 */
export function decodeMeasure(bytes: Uint8Array, where: string): MeasureData {
  const { rows, sum, payload } = readFrame('measure', bytes, where);
  const reader = new ByteReader(payload, where);
  const data = readShape(reader, rows, sum);
  reader.end();
  return data;
}

/**
 * @returns rows and sum of the column, without decompressing it
 * @throws CorruptColumnError when the header or the checksum does not fit a measure column
 */
export function readMeasureHeader(bytes: Uint8Array, where: string) {
  return readFrameHeader('measure', bytes, where);
}

/** @returns the value of every row */
export function expandMeasure(data: MeasureData): Float64Array {
  if (data.kind === 'constant') return new Float64Array(data.rows).fill(data.value);
  const stored = expandValues(data.values);
  if (data.kind === 'values') return stored;
  const values = new Float64Array(data.rows);
  data.positions.forEach((row, i) => {
    values[row] = stored[i] ?? 0;
  });
  return values;
}

/** The table of values that are stored as one byte each. */
const BYTE_VALUES = Float64Array.from({ length: 256 }, (_, byte) => byte);

/** @returns the same values as bytes that index a table */
export function toTable(values: Uint8Array | TableValues): TableValues {
  return values instanceof Uint8Array ? { codes: values, table: BYTE_VALUES } : values;
}

function expandValues(values: Values): Float64Array {
  if (values instanceof Float64Array) return values;
  if (values instanceof Uint8Array) return new Float64Array(values);
  const { codes, table } = values;
  const expanded = new Float64Array(codes.length);
  for (let i = 0; i < codes.length; i++) expanded[i] = table[codes[i] ?? 0] ?? 0;
  return expanded;
}

function writeSparse(writer: ByteWriter, values: ArrayLike<number>, filled: number, range: Range): void {
  const gaps = new Uint32Array(filled);
  const nonZero = new Float64Array(filled);
  let next = 0;
  let count = 0;
  let widest = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (value === 0) continue;
    gaps[count] = row - next;
    widest = Math.max(widest, row - next);
    nonZero[count++] = value;
    next = row + 1;
  }
  const gapWidth = widthOf(widest);
  writer.u8(SHAPES.sparse).u8(gapWidth).u32(filled).array(gaps, gapWidth);
  writeValues(writer, nonZero, range);
}

/** Where few values are distinct, as in prices, each is written once (ascending, as gaps) and referred to by one byte per value. */
function writeValues(writer: ByteWriter, given: ArrayLike<number>, { base, max }: Range): void {
  const values = base === 0 ? given : Float64Array.from(given, (value) => value + base);
  const width = widthOf(max);
  const table = width === 1 || max > Number.MAX_SAFE_INTEGER ? undefined : distinctValues(values);
  if (table === undefined) {
    writer.u8(width).array(values, width);
    return;
  }
  writer.u8(BY_TABLE).varint(table.length);
  let previous = 0;
  for (const value of table) {
    writer.varint(value - previous);
    previous = value;
  }
  const codes = new Map(table.map((value, code) => [value, code]));
  writer.array(
    Uint8Array.from(values, (value) => codes.get(value) ?? 0),
    1,
  );
}

/** @returns the distinct values, ascending; undefined where there are too many for a table */
function distinctValues(values: ArrayLike<number>): number[] | undefined {
  const distinct = new Set<number>();
  for (let i = 0; i < values.length; i++) {
    distinct.add(values[i] ?? 0);
    if (distinct.size > TABLE_PLACES) return undefined;
  }
  return [...distinct].sort((a, b) => a - b);
}

/** @param base what has been added to the values */
function readValues(reader: ByteReader, count: number, base: number): Values {
  const values = readFromZero(reader, count);
  if (base === 0) return values;
  if (values instanceof Float64Array) return values.map((value) => value - base);
  const { codes, table } = toTable(values);
  return { codes, table: table.map((value) => value - base) };
}

function readFromZero(reader: ByteReader, count: number): Values {
  const width = reader.u8();
  if (width === 1) return reader.raw(count);
  if (width !== BY_TABLE) return reader.floats(count, width);
  const size = reader.varint();
  if (size > TABLE_PLACES) throw reader.corrupt(`its table has ${size} values`);
  const table = new Float64Array(TABLE_PLACES).fill(Number.NaN);
  let value = 0;
  for (let code = 0; code < size; code++) {
    value += reader.varint();
    table[code] = value;
  }
  return { codes: reader.raw(count), table };
}

function readShape(reader: ByteReader, rows: number, sum: number): MeasureData {
  const first = reader.u8();
  const isSigned = first === SHAPES.signed;
  const size = isSigned ? reader.f64() : Math.abs(sum);
  const base = isSigned ? reader.varint() : 0;
  const shape = isSigned ? reader.u8() : first;
  if (shape === SHAPES.constant) return { kind: 'constant', rows, size, value: reader.f64() };
  if (shape === SHAPES.values) return { kind: 'values', rows, size, values: readValues(reader, rows, base) };
  if (shape !== SHAPES.sparse) throw reader.corrupt(`shape ${shape} is unknown`);
  const gapWidth = reader.u8();
  const count = reader.u32();
  const gaps = reader.codes(count, gapWidth);
  const values = readValues(reader, count, base);
  const positions = new Uint32Array(count);
  const next = readPositions(gaps, positions);
  if (next > rows) throw reader.corrupt(`it has a value for row ${next - 1}, but only ${rows} rows`);
  return { kind: 'sparse', rows, size, positions, values };
}

/** Writes the row of each value. @returns the row after the last one */
function readPositions(gaps: Codes, positions: Uint32Array): number {
  let next = 0;
  for (let i = 0; i < positions.length; i++) {
    next += gaps[i] ?? 0;
    positions[i] = next++;
  }
  return next;
}
