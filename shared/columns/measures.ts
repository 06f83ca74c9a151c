import { ByteReader, ByteWriter, widthOf } from './bytes.ts';
import type { Codes, MeasureData, Values } from './column.ts';
import { type FrameHeader, readFrame, readFrameHeader, writeFrame } from './frame.ts';

const SHAPES = { constant: 0, sparse: 1, values: 2 } as const;
/** In place of a width: the values are bytes that index a table. */
const BY_TABLE = 0;
const TABLE_PLACES = 256;
/** Up to this share of non-zero rows, a column is sparse: positions and values are then smaller and faster to read. */
const MAX_SPARSE_SHARE = 0.25;

/**
 * The frame's sum is added up in doubles: it is exact below 2^53, and at least 2^53 where the exact sum is (rounding is monotonic).
 * @param values non-negative integers below 2^53, one per row
 * @returns the encoded measure column
 */
export function encodeMeasure(values: Float64Array | readonly number[]): Uint8Array {
  const rows = values.length;
  let max = 0;
  let filled = 0;
  let sum = 0;
  let constant = true;
  const first = values[0] ?? 0;
  for (let row = 0; row < rows; row++) {
    const value = values[row] as number; // row < length
    sum += value;
    if (value !== 0) filled++;
    if (value > max) max = value;
    if (value !== first) constant = false;
  }
  const writer = new ByteWriter();
  if (constant) {
    writer.u8(SHAPES.constant).f64(first);
  } else if (filled <= rows * MAX_SPARSE_SHARE) {
    writeSparse(writer, values, filled, max);
  } else {
    writer.u8(SHAPES.values);
    writeValues(writer, values, max);
  }
  return writeFrame('measure', { rows, sum }, writer.finish());
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
export function readMeasureHeader(bytes: Uint8Array, where: string): FrameHeader {
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

function expandValues(values: Values): Float64Array {
  if (values instanceof Float64Array) return values;
  if (values instanceof Uint8Array) return new Float64Array(values);
  const { codes, table } = values;
  const expanded = new Float64Array(codes.length);
  for (let i = 0; i < codes.length; i++) expanded[i] = table[codes[i] as number] as number; // codes are bytes, and the table has 256 places
  return expanded;
}

function writeSparse(writer: ByteWriter, values: ArrayLike<number>, filled: number, max: number): void {
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
  writeValues(writer, nonZero, max);
}

/** Where few values are distinct, as in prices, each is written once (ascending, as gaps) and referred to by one byte per value. */
function writeValues(writer: ByteWriter, values: ArrayLike<number>, max: number): void {
  const width = widthOf(max);
  const table = width === 1 ? undefined : distinctValues(values);
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
    distinct.add(values[i] as number); // i < length
    if (distinct.size > TABLE_PLACES) return undefined;
  }
  return [...distinct].sort((a, b) => a - b);
}

function readValues(reader: ByteReader, count: number): Values {
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
  const shape = reader.u8();
  if (shape === SHAPES.constant) return { kind: 'constant', rows, sum, value: reader.f64() };
  if (shape === SHAPES.values) return { kind: 'values', rows, sum, values: readValues(reader, rows) };
  if (shape !== SHAPES.sparse) throw reader.corrupt(`shape ${shape} is unknown`);
  const gapWidth = reader.u8();
  const count = reader.u32();
  const gaps = reader.codes(count, gapWidth);
  const values = readValues(reader, count);
  const positions = new Uint32Array(count);
  const next = readPositions(gaps, positions);
  if (next > rows) throw reader.corrupt(`it has a value for row ${next - 1}, but only ${rows} rows`);
  return { kind: 'sparse', rows, sum, positions, values };
}

/** Writes the row of each value. @returns the row after the last one */
function readPositions(gaps: Codes, positions: Uint32Array): number {
  let next = 0;
  for (let i = 0; i < positions.length; i++) {
    next += gaps[i] as number; // as many as positions
    positions[i] = next++;
  }
  return next;
}
