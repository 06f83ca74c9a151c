import type { KeyColumn, Measure } from '../../catalog/tables.ts';
import type { CodedRows } from '../../columns/build-day.ts';
import { type ByteWriter, type Width, widthOf } from '../../columns/bytes.ts';
import type { Codes, UserData } from '../../columns/column.ts';
import { type CodedKeys, codeKeys } from '../../columns/keys.ts';

/** The columns of a block, in the order they stand in it. */
export interface BlockShape {
  readonly keys: readonly KeyColumn[];
  readonly measures: readonly Measure[];
  readonly hasUsers: boolean;
}

/** How the distinct values of a key column are written. */
export const VALUES = { numbers: 0, texts: 1 } as const;
/** Stands where a width would: all integers are alike, and written once. */
export const ALIKE = 0;
/** Arrays of each width, as they lie in memory: blocks are read where they were written. */
export const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: Float64Array } as const;
/** Hashes are written as their low 32 bits and what is above. */
export const HIGH = 2 ** 32;

/**
 * Appends some rows of one day, column by column, with all that is needed to read them: so they go from thread to thread and through the temporary
 * file. Blocks stand one after another with nothing between them. The parts of a block, integers always as narrow as their largest:
 *
 * - `varint rows`
 * - each key column: `varint` distinct values; then those, null as 0, numbers + 1, texts by their length + 1 and all of their UTF-8; then, unless there
 *   is but one, a code a row
 * - each measure: an integer a row
 * - where there are users: how many each row has; then the low parts of all hashes, and the high parts
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
  if (dictionary.some((it) => typeof it === 'string')) {
    writer.u8(VALUES.texts);
    writeIntegers(
      writer,
      Float64Array.from(dictionary, (it) => (it === null ? 0 : String(it).length + 1)),
    );
    const text = Buffer.from(dictionary.join(''), 'utf8'); // null is joined as nothing
    writer.varint(text.length).raw(text);
  } else {
    writer.u8(VALUES.numbers);
    writeIntegers(
      writer,
      Float64Array.from(dictionary, (it) => (it === null ? 0 : Number(it) + 1)),
    );
  }
  if (dictionary.length > 1) writeArray(writer, codes, widthOf(dictionary.length - 1));
}

function writeIntegers(writer: ByteWriter, values: Float64Array): void {
  const [first = 0] = values;
  let max = first;
  let isAlike = true;
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number; // i < length
    if (value !== first) isAlike = false;
    if (value > max) max = value;
  }
  if (isAlike) {
    writer.u8(ALIKE).varint(first);
    return;
  }
  const width = widthOf(max);
  writeArray(writer.u8(width), values, width);
}

/** Bits that are beyond the width are left out. */
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
