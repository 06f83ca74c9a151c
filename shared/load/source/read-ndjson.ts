import { trimZeros } from '../schema/parse-value.ts';
import { formatValue, Invalid } from '../schema/value-types.ts';
import { batchOf, type RowBatch, type RowSink } from './row-batch.ts';
import { CR_LINE_ENDINGS, decodeBlock, type TextBlock } from './text-blocks.ts';

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

function parseLine(text: string, line: number, sink: RowSink): object | undefined {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = LONG_NUMBER.test(text) ? parseLongNumbers(text) : JSON.parse(text);
  } catch (error) {
    const reason = text.trimEnd().includes('\r') ? CR_LINE_ENDINGS : `is not JSON: ${withoutLine(error)}`;
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

/** The parser counts lines within the text it is given, which is one line of the file. */
function withoutLine(error: unknown): string {
  if (error instanceof RangeError) return 'it has too many brackets'; // they exceed the stack
  return (error instanceof Error ? error.message : String(error)).replace(/ \(line 1 column \d+\)$/, '');
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
