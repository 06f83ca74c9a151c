import { trimZeros } from '../schema/parse-value.ts';
import { formatValue, Invalid } from '../schema/value-types.ts';
import { batchOf, type RowBatch, type RowSink } from './row-batch.ts';
import { CR_LINE_ENDINGS, countNewlines, decodeBlock, rejectOtherThanUtf8, type TextBlock } from './text-blocks.ts';

/**
 * Reads one JSON object per line; empty lines are skipped. A line that is not an object is reported to `sink` and left out.
 * @throws UnreadableFileError at the first line that is not UTF-8
 */
export function readNdjson(block: TextBlock, sink: RowSink): RowBatch {
  const text = decodeBlock(block);
  const rows = new ObjectRows(sink);
  let { line } = block;
  for (let at = 0; at < text.length; line++) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    const row = parseLine(text.slice(at, end), line, sink);
    if (row !== undefined) rows.add(row, line);
    at = end + 1;
  }
  return rows.finish();
}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Finds the elements of a JSON array, without parsing them.
 * @param depth of the bytes' begin: 0 in front of the array, 1 within it
 * @param onElement called with the range of each element that ends; of blanks if the array ends after a comma or at once
 * @returns the index after the last of them and its comma or bracket
 */
export function endOfElements(bytes: Uint8Array, depth: number, onElement?: (start: number, end: number) => void) {
  let start = 0;
  let level = depth;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      while (++at < bytes.length && bytes[at] !== QUOTE) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (level++ === 0) start = at + 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT || (byte === COMMA && level === 1)) {
      if (byte !== COMMA) level--;
      if (byte !== COMMA && level !== 0) continue;
      onElement?.(start, at);
      start = at + 1;
      if (level === 0) break;
    }
  }
  return start;
}

/**
 * Reads the objects of a block of a JSON array. What is no object is reported to `sink` and left out.
 * @throws UnreadableFileError at the first line that is not UTF-8
 */
export function readJsonArray(block: TextBlock, depth: number, sink: RowSink): RowBatch {
  rejectOtherThanUtf8(block);
  const { bytes } = block;
  const rows = new ObjectRows(sink);
  let [line, counted] = [block.line, 0];
  const add = (start: number, end: number) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    const begin = start + text.length - text.trimStart().length;
    line += countNewlines(bytes.subarray(counted, begin));
    counted = begin;
    const row = parseLine(text, line, sink);
    if (row !== undefined) rows.add(row, line);
  };
  add(endOfElements(bytes, depth, add), bytes.length);
  return rows.finish();
}

function parseLine(text: string, line: number, sink: RowSink): object | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = LONG_NUMBER.test(text) ? parseLongNumbers(text) : JSON.parse(text);
  } catch (error) {
    const reason = /\r(?!\n)/.test(text.trimEnd()) ? CR_LINE_ENDINGS : `is not JSON: ${withoutLine(error)}`;
    sink.problem(line, reason);
    return undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  sink.problem(line, `must be a JSON object, not ${formatValue(value)}`);
  return undefined;
}

/** Matches a line that may have a number of more than 17 digits, which a double may not hold. */
const LONG_NUMBER = /[:,[\s]-?[\d.]{18}/;
/** Matches each string, which may contain digits, and each number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** In front of a number that was turned into a string. No other value begins with it: control characters are invalid. */
const MARK = '\0number ';

/** @returns the value, with an `Invalid` in place of each number of more than 17 digits */
function parseLongNumbers(text: string): unknown {
  const marked = text.replace(STRING_OR_NUMBER, (token) => {
    const { significant } = trimZeros(token.replace(/e.*|[-.]/gi, ''), 0);
    return token.startsWith('"') || significant.length <= 17 ? token : JSON.stringify(`${MARK}${token}`);
  });
  return JSON.parse(marked, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const number = value.slice(MARK.length, MARK.length + 40);
    return new Invalid(
      `is ${number}, a number of more than 17 digits, which is rounded when it is read: write it as text`,
    );
  });
}

/** The parser counts lines within the text it is given, which is one row of the file. */
function withoutLine(error: unknown): string {
  if (error instanceof RangeError) return 'it has too many brackets'; // they exceed the stack
  return (error instanceof Error ? error.message : String(error)).replace(/ \(line \d+ column \d+\)$/, '');
}

/** Objects turned into columns as they arrive. Each column is reported with the first line that has it. */
class ObjectRows {
  readonly #sink: RowSink;
  readonly #lines: number[] = [];
  /** The values of each column that is read; undefined for others, because a value in a late row takes the memory of all rows before it. */
  readonly #columns = new Map<string, { readonly name: string; readonly values: unknown[] } | undefined>();
  /** Members usually come in the order of the row before, which saves looking them up. */
  readonly #names: string[] = [];
  readonly #arrays: (unknown[] | undefined)[] = [];

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  add(object: object, line: number): void {
    const row = this.#lines.push(line) - 1;
    let position = 0;
    for (const name in object) {
      if (this.#names[position] !== name) this.#expect(position, name, line);
      const values = this.#arrays[position];
      if (values !== undefined) values[row] = (object as Record<string, unknown>)[name]; // a plain object of JSON.parse
      position++;
    }
  }

  finish(): RowBatch {
    const read = [...this.#columns.values()].filter((column) => column !== undefined);
    return batchOf(new Map(read.map(({ name, values }) => [name, values])), this.#lines, false);
  }

  #expect(position: number, name: string, line: number): void {
    if (!this.#columns.has(name)) {
      const ours = this.#sink.column(name, line);
      const isRead = ours !== null && ![...this.#columns.values()].some((column) => column?.name === ours);
      this.#columns.set(name, isRead ? { name: ours, values: [] } : undefined);
    }
    this.#names[position] = name;
    this.#arrays[position] = this.#columns.get(name)?.values;
  }
}
