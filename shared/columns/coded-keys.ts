import { ByteReader, ByteWriter, widthOf } from './bytes.ts';
import type { Codes, KeyData, KeyValue } from './column.ts';
import { readDictionary, sortKeyValues, writeDictionary } from './dictionary.ts';
import { readFrame, writeFrame } from './frame.ts';

const SHAPES = { constant: 0, runs: 1, codes: 2 } as const;
/** The minimum average length of runs: runs of this length or more are smaller and faster to read than one code per row. */
const MIN_RUN_ROWS = 8;

/** A dictionary and each row's index into it. */
export interface CodedKeys {
  readonly dictionary: readonly KeyValue[];
  readonly codes: Codes;
}

/** Those of no rows. */
export const NO_KEYS: CodedKeys = { dictionary: [null], codes: new Uint32Array(0) };

/** @returns the values as codes of a dictionary, which is ascending (null first) */
export function codeKeys(values: readonly KeyValue[]): CodedKeys {
  const codeOf = new Map<KeyValue, number>();
  const dictionary: KeyValue[] = [];
  const codes = new Uint32Array(values.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] ?? null;
    let code = codeOf.get(value);
    if (code === undefined) {
      code = dictionary.push(value) - 1;
      codeOf.set(value, code);
    }
    codes[row] = code;
  }
  return sortDictionary({ dictionary, codes });
}

/** @returns the same values with the dictionary ascending (null first) */
export function sortDictionary({ dictionary, codes }: CodedKeys): CodedKeys {
  const sorted = sortKeyValues(dictionary);
  const places = new Map<KeyValue, number>();
  for (let place = 0; place < sorted.length; place++) places.set(sorted[place] as KeyValue, place);
  const rank = Uint32Array.from(dictionary, (value) => places.get(value) ?? 0);
  const ranked = new Uint32Array(codes.length);
  for (let row = 0; row < ranked.length; row++) ranked[row] = rank[codes[row] ?? 0] ?? 0;
  return { dictionary: sorted, codes: ranked };
}

/** @returns the encoded key column of the given values, one per row */
export function encodeKeys(values: readonly KeyValue[]): Uint8Array {
  return encodeCodedKeys(codeKeys(values));
}

/**
 * @param keys the dictionary must be ascending; not all of its values need to occur
 * @returns the encoded key column
 */
export function encodeCodedKeys({ dictionary, codes }: CodedKeys): Uint8Array {
  const rows = codes.length;
  const writer = new ByteWriter();
  if (dictionary.length <= 1) {
    writer.u8(SHAPES.constant).u8(0);
    writeDictionary(writer, dictionary);
    return writeFrame('keys', { rows, sum: 0 }, writer.finish());
  }
  const width = widthOf(dictionary.length - 1);
  const runs = findRuns(codes);
  writer.u8(runs === undefined ? SHAPES.codes : SHAPES.runs).u8(width);
  writeDictionary(writer, dictionary);
  if (runs === undefined) {
    writer.array(codes, width);
  } else {
    const lengths = runs.map((from, i) => (runs[i + 1] ?? rows) - from);
    const lengthWidth = widthOf(lengths.reduce((a, b) => Math.max(a, b), 0));
    writer.u32(runs.length).u8(lengthWidth).array(lengths, lengthWidth);
    writer.array(
      runs.map((from) => codes[from] ?? 0),
      width,
    );
  }
  return writeFrame('keys', { rows, sum: 0 }, writer.finish());
}

/**
 * @param where the column's name in errors
 * @returns the decoded column, in the shape in which it is stored: constant, runs or codes
 * @throws CorruptColumnError when the bytes are not a key column
 */
export function decodeKeys(bytes: Uint8Array, where: string): KeyData {
  const { rows, payload } = readFrame('keys', bytes, where);
  const reader = new ByteReader(payload, where);
  const shape = reader.u8();
  const width = reader.u8();
  const dictionary = readDictionary(reader);
  const data = readCodes(reader, shape, width, rows, dictionary);
  reader.end();
  return data;
}

/** @returns the value of every row */
export function expandKeys(data: KeyData): KeyValue[] {
  const { rows, dictionary } = data;
  if (data.kind === 'constant') return new Array<KeyValue>(rows).fill(dictionary[0] ?? null);
  const codes = expandCodes(data);
  return Array.from(codes, (code) => dictionary[code] ?? null);
}

/** @returns one code per row, for any kind of column */
export function expandCodes(data: KeyData): Codes {
  if (data.kind === 'codes') return data.codes;
  if (data.kind === 'constant') return new Uint8Array(data.rows);
  const codes = new (data.dictionary.length <= 0x100 ? Uint8Array : Uint32Array)(data.rows);
  let from = 0;
  for (let run = 0; run < data.ends.length; run++) {
    const to = data.ends[run] ?? from;
    codes.fill(data.codes[run] ?? 0, from, to);
    from = to;
  }
  return codes;
}

function readCodes(
  reader: ByteReader,
  shape: number,
  width: number,
  rows: number,
  dictionary: readonly KeyValue[],
): KeyData {
  if (shape === SHAPES.constant) {
    if (dictionary.length !== 1 && rows > 0)
      throw reader.corrupt(`a constant has ${dictionary.length} values instead of one`);
    return { kind: 'constant', rows, dictionary };
  }
  if (shape === SHAPES.codes) return { kind: 'codes', rows, dictionary, codes: reader.codes(rows, width) };
  if (shape !== SHAPES.runs) throw reader.corrupt(`shape ${shape} is unknown`);
  const count = reader.u32();
  const lengths = reader.codes(count, reader.u8());
  const codes = reader.codes(count, width);
  const ends = new Uint32Array(count);
  let end = 0;
  for (let run = 0; run < count; run++) {
    end += lengths[run] ?? 0;
    ends[run] = end;
  }
  if (end !== rows) throw reader.corrupt(`its runs cover ${end} rows instead of ${rows}`);
  return { kind: 'runs', rows, dictionary, codes, ends };
}

/** @returns the first row of each run of equal codes; undefined where the runs are too short on average */
function findRuns(codes: Codes): Uint32Array | undefined {
  let count = codes.length === 0 ? 0 : 1;
  for (let row = 1; row < codes.length; row++) if (codes[row] !== codes[row - 1]) count++;
  if (count * MIN_RUN_ROWS > codes.length) return undefined;
  const starts = new Uint32Array(count);
  let next = Math.min(1, count); // the first begins at row 0
  for (let row = 1; row < codes.length; row++) if (codes[row] !== codes[row - 1]) starts[next++] = row;
  return starts;
}
