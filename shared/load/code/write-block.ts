import type { KeyColumn, Measure } from '../../catalog/tables.ts';
import type { CodedRows } from '../../columns/build-day.ts';
import { type ByteWriter, type Width, widthOf } from '../../columns/bytes.ts';
import type { Codes, UserData } from '../../columns/column.ts';
import { type CodedKeys, codeKeys } from '../../columns/keys.ts';

/** The columns of a block, in their order. */
export interface BlockShape {
  readonly keys: readonly KeyColumn[];
  readonly measures: readonly Measure[];
  readonly hasUsers: boolean;
}

/** How the distinct values of a key column are written. */
export const VALUES = { numbers: 0, texts: 1 } as const;
/** Takes the place of a width: all integers are equal, and written once. */
export const CONSTANT = 0;
/** The typed array of each width. Their byte order is the machine's, since blocks are read on the machine that wrote them. */
export const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
/** Hashes are written as their low 32 bits and the bits above. */
export const HIGH = 2 ** 32;

/**
 * Appends some rows of one day, column by column: the form in which rows are transferred between threads and stored in the temporary file. Blocks follow each
 * other without a separator. The parts of a block, in which integers are as narrow as the largest of their column:
 *
 * - `varint rows`
 * - per key column: `varint` number of distinct values; the values: null as 0, numbers as number + 1, texts as length + 1 followed by the UTF-8 of all; then,
 *   unless there is only one value, a code per row
 * - per measure: an integer per row
 * - if there are users: their number per row; then the low parts of all hashes, and the high parts
 *
 * @param facts keys are integers ≥ 0 or texts, in a column all of one kind, or null; measures integers in [0, 2^53)
 */
export function writeBlock(writer: ByteWriter, shape: BlockShape, facts: CodedRows): void {
  const { rows, keys, measures, users } = facts;
  writer.varint(rows);
  for (const name of shape.keys) {
    const given = keys.get(name) ?? { dictionary: [null], codes: new Uint8Array(rows) };
    writeKeys(writer, 'codes' in given ? given : codeKeys(given));
  }
  for (const name of shape.measures) writeIntegers(writer, measures.get(name) ?? new Float64Array(rows));
  if (shape.hasUsers) writeUsers(writer, rows, users);
}

function writeKeys(writer: ByteWriter, { dictionary, codes }: CodedKeys): void {
  writer.varint(dictionary.length);
  if (dictionary.some((value) => typeof value === 'string')) {
    writer.u8(VALUES.texts);
    writeIntegers(
      writer,
      Float64Array.from(dictionary, (value) => (value === null ? 0 : String(value).length + 1)),
    );
    const text = Buffer.from(dictionary.join(''), 'utf8'); // null is joined as nothing
    writer.varint(text.length).raw(text);
  } else {
    writer.u8(VALUES.numbers);
    writeIntegers(
      writer,
      Float64Array.from(dictionary, (value) => (value === null ? 0 : Number(value) + 1)),
    );
  }
  if (dictionary.length > 1) writeArray(writer, codes, widthOf(dictionary.length - 1));
}

function writeIntegers(writer: ByteWriter, values: Float64Array): void {
  const [first = 0] = values;
  let max = first;
  let isConstant = true;
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number; // i < length
    if (value !== first) isConstant = false;
    if (value > max) max = value;
  }
  if (isConstant) {
    writer.u8(CONSTANT).varint(first);
    return;
  }
  const width = widthOf(max);
  writeArray(writer.u8(width), values, width);
}

/** Writes the low bits of each value, as many as the width has. */
function writeArray(writer: ByteWriter, values: Float64Array | Codes, width: Width): void {
  writer.raw(new Uint8Array(new ARRAYS[width](values).buffer));
}

function writeUsers(writer: ByteWriter, rows: number, users: UserData | undefined): void {
  const counts = new Float64Array(rows);
  if (users === undefined) {
    writeIntegers(writer, counts);
    return;
  }
  const { offsets, hashes } = users;
  for (let row = 0; row < rows; row++) counts[row] = (offsets[row + 1] ?? 0) - (offsets[row] ?? 0);
  writeIntegers(writer, counts);
  const high = new Float64Array(hashes.length);
  for (let i = 0; i < hashes.length; i++) high[i] = Math.floor((hashes[i] as number) / HIGH); // i < length
  writeArray(writer, hashes, 4);
  writeArray(writer, high, 2);
}
