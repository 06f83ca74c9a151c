import { ByteReader, ByteWriter, widthOf } from './bytes.ts';
import type { MeasureData } from './column.ts';
import { readFrame, writeFrame } from './frame.ts';

const SHAPES = { constant: 0, sparse: 1, values: 2 } as const;
/** At most this share of rows not 0: written as their positions and values, which then take less room and less time. */
const SPARSE_SHARE = 0.25;

/** @param values non-negative integers below 2^53 */
export function encodeMeasure(values: Float64Array | readonly number[]): Uint8Array {
  const rows = values.length;
  let max = 0;
  let filled = 0;
  let constant = true;
  for (let row = 0; row < rows; row++) {
    const value = values[row] ?? 0;
    if (value !== 0) filled++;
    if (value > max) max = value;
    if (value !== values[0]) constant = false;
  }
  const writer = new ByteWriter();
  if (constant) {
    writer.u8(SHAPES.constant).f64(values[0] ?? 0);
  } else if (filled <= rows * SPARSE_SHARE) {
    writeSparse(writer, values, filled, max);
  } else {
    const width = widthOf(max);
    writer.u8(SHAPES.values).u8(width).array(values, width);
  }
  return writeFrame('measure', rows, writer.finish());
}

/**
 * @param where names the column in errors
 * @throws CorruptColumnError when the bytes are not such a column
 */
export function decodeMeasure(bytes: Uint8Array, where: string): MeasureData {
  const { rows, payload } = readFrame('measure', bytes, where);
  const reader = new ByteReader(payload, where);
  const data = readShape(reader, rows);
  reader.end();
  return data;
}

/** @returns the value of every row. */
export function expandMeasure(data: MeasureData): Float64Array {
  if (data.kind === 'constant') return new Float64Array(data.rows).fill(data.value);
  if (data.kind === 'values') return Float64Array.from(data.values);
  const values = new Float64Array(data.rows);
  data.at.forEach((row, i) => {
    values[row] = data.values[i] ?? 0;
  });
  return values;
}

function writeSparse(writer: ByteWriter, values: ArrayLike<number>, filled: number, max: number): void {
  const gaps = new Uint32Array(filled);
  const kept = new Float64Array(filled);
  let next = 0;
  let count = 0;
  let widest = 0;
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? 0;
    if (value === 0) continue;
    gaps[count] = row - next;
    widest = Math.max(widest, row - next);
    kept[count++] = value;
    next = row + 1;
  }
  const gapWidth = widthOf(widest);
  const width = widthOf(max);
  writer.u8(SHAPES.sparse).u8(width).u8(gapWidth).u32(filled).array(gaps, gapWidth).array(kept, width);
}

function readShape(reader: ByteReader, rows: number): MeasureData {
  const shape = reader.u8();
  if (shape === SHAPES.constant) return { kind: 'constant', rows, value: reader.f64() };
  const width = reader.u8();
  if (shape === SHAPES.values) return { kind: 'values', rows, values: reader.values(rows, width) };
  if (shape !== SHAPES.sparse) throw reader.corrupt(`shape ${shape} is not known`);
  const gapWidth = reader.u8();
  const count = reader.u32();
  const gaps = reader.codes(count, gapWidth);
  const values = reader.values(count, width);
  const at = new Uint32Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    next += gaps[i] ?? 0;
    at[i] = next++;
  }
  if (next > rows) throw reader.corrupt(`a value in row ${next - 1} of ${rows}`);
  return { kind: 'sparse', rows, at, values };
}
