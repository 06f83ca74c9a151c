import { CellBatch, CellBounds } from './cells.ts';
import type { RowBatch, RowSink } from './row-batch.ts';
import { checkUtf8, type LineBlock } from './text-blocks.ts';

const COMMA = 0x2c;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Reads whole lines of CSV in which there is no quote, so that each line is a record and each comma separates cells. Empty lines are passed over; a line that is
 * not of the header's length is told to the sink and left out. No cell is made a text before it is asked for.
 * @throws UnreadableFileError at the first line that is not UTF-8
 */
export function readPlainCsv(block: LineBlock, header: readonly string[], sink: RowSink): RowBatch {
  checkUtf8(block);
  const { bytes } = block;
  const width = header.length;
  const rows = new CellBounds(width);
  let { line } = block;
  for (let from = 0; from < bytes.length; line++) {
    const found = bytes.indexOf(NEWLINE, from);
    const lineEnd = found < 0 ? bytes.length : found;
    const to = lineEnd > from && bytes[lineEnd - 1] === RETURN ? lineEnd - 1 : lineEnd;
    if (to > from) {
      const cells = splitLine(bytes, from, to, rows);
      if (cells === width) rows.add(line);
      else sink.problem(line, tellWidth(cells, width));
    }
    from = lineEnd + 1;
  }
  return new CellBatch(bytes, header, rows, () => false);
}

/** @returns what is wrong with a record of so many cells */
export function tellWidth(cells: number, width: number): string {
  return `has ${cells} cells where the header has ${width}`;
}

/** Writes the bounds of the line's cells as those of the next row. @returns how many cells there are; those that are too many are only counted */
function splitLine(bytes: Uint8Array, from: number, to: number, rows: CellBounds): number {
  const { bounds, step } = rows;
  const first = rows.rows * step;
  const last = first + step - 1;
  let next = first;
  bounds[next++] = from;
  for (let at = from; at < to; at++) {
    if (bytes[at] !== COMMA) continue;
    if (next < last) {
      bounds[next] = at;
      bounds[next + 1] = at + 1;
    }
    next += 2;
  }
  if (next <= last) bounds[next] = to;
  return (next + 1 - first) / 2;
}
