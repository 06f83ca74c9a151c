import { mayHaveLongNumber, parseExactly } from '../schema/exact-numbers.ts';
import { formatValue } from '../schema/value-types.ts';
import { checkColumnCount, type RowBatch, type RowSink, ValueBatch } from './row-batch.ts';
import { CR_LINE_ENDINGS, decodeBlock, type TextBlock } from './text-blocks.ts';

/**
 * Reads one JSON object per line; empty lines are skipped. A line that is not an object is reported to `sink` and left out. Numbers that JSON.parse would
 * change are bigints, or as they are written.
 * @throws UnreadableFileError at the first line that is not UTF-8, or if there are too many columns or the sink rejects one
 */
export function readNdjson(block: TextBlock, sink: RowSink): RowBatch {
  const text = decodeBlock(block);
  const parse = mayHaveLongNumber(text) ? parseLongNumbers : JSON.parse;
  const rows = new ObjectRows(sink);
  let { line } = block;
  for (let at = 0; at < text.length; line++) {
    const found = text.indexOf('\n', at);
    const end = found < 0 ? text.length : found;
    const row = parseLine(text.slice(at, end), line, parse, sink);
    if (row !== undefined) rows.add(row, line);
    at = end + 1;
  }
  return rows.finish();
}

/** Most lines of a block with a long number have none, and are parsed faster without looking at each number. */
function parseLongNumbers(line: string): unknown {
  return mayHaveLongNumber(line) ? parseExactly(line) : JSON.parse(line);
}

const MAX_LINE_VALUES = 2_000_000;
const MAX_LINE_LISTS = 100_000;
/** UTF-16 code units. A line of this length or less cannot have more lists, because each takes two, nor more values. */
const SHORT_LINE = 2 * MAX_LINE_LISTS;

function parseLine(text: string, line: number, parse: (text: string) => unknown, sink: RowSink): object | undefined {
  const tooMuch = text.length <= SHORT_LINE ? undefined : explainTooMuch(text);
  if (tooMuch !== undefined) {
    sink.problem(line, tooMuch);
    return undefined;
  }
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (error instanceof RangeError) {
      sink.problem(line, 'is nested too deeply');
      return undefined;
    }
    const reason = text.trimEnd().includes('\r')
      ? CR_LINE_ENDINGS
      : `is not JSON: ${withoutLine(error as SyntaxError)}`; // JSON.parse throws nothing else
    sink.problem(line, reason);
    return undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  sink.problem(line, `must be a JSON object, not ${formatValue(value)}`);
  return undefined;
}

/** An empty list takes 2 bytes of a file and many times as much memory, so a long line could exhaust the memory. */
function explainTooMuch(text: string): string | undefined {
  let [values, lists] = [1, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfText(text, at);
    else if (char === ',') values += 1;
    else if (char === '[' || char === '{') lists += 1;
  }
  if (values > MAX_LINE_VALUES) return `has more than ${MAX_LINE_VALUES.toLocaleString('en-US')} values`;
  return lists > MAX_LINE_LISTS
    ? `has more than ${MAX_LINE_LISTS.toLocaleString('en-US')} lists and objects`
    : undefined;
}

/** @returns the position of the quote that ends the text which begins at `start` */
function endOfText(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}

/** The parser counts lines within the text it is given, which is one line of the file. */
function withoutLine({ message }: SyntaxError): string {
  return message.replace(/ \(line 1 column \d+\)$/, '');
}

/** Objects turned into columns as they arrive. Each column is reported with the first line that has it. */
class ObjectRows {
  readonly #sink: RowSink;
  readonly #lines: number[] = [];
  /** The values of each column that is read; undefined for others, because a value in a late row takes the memory of all rows before it. */
  readonly #columns = new Map<string, unknown[] | undefined>();
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
    const read = [...this.#columns].filter((column): column is [string, unknown[]] => column[1] !== undefined);
    return new ValueBatch(new Map(read), this.#lines);
  }

  #expect(position: number, name: string, line: number): void {
    if (!this.#columns.has(name)) {
      checkColumnCount(this.#columns.size + 1, line);
      this.#columns.set(name, this.#sink.column(name, line) ? [] : undefined);
    }
    this.#names[position] = name;
    this.#arrays[position] = this.#columns.get(name);
  }
}
