import { mayHaveLongNumber, parseExactly } from './exact-numbers.ts';
import { show } from './invalid.ts';
import { readPlainNdjson } from './read-plain-ndjson.ts';
import type { RowBatch, RowSink } from './row-batch.ts';
import { CR_LINE_ENDS, checkUtf8, decodeBlock, type LineBlock, type TextBlock } from './text-blocks.ts';

/**
 * Reads one JSON object a line; empty lines are passed over. A line that is no object is told to `sink` and left out. Numbers that no double is equal to
 * are bigints, or as they are written.
 */
export function readNdjson(block: LineBlock, sink: RowSink): RowBatch {
  const plain = readPlainNdjson(block);
  if (plain === undefined) return parseBlock(decodeBlock(block), sink);
  checkUtf8(block);
  for (const name of plain.names) sink.column(name, plain.lineOf(0));
  return plain;
}

function parseBlock(block: TextBlock, sink: RowSink): RowBatch {
  const batch = new ObjectBatch();
  const parse = mayHaveLongNumber(block.text) ? parseLongNumbers : JSON.parse;
  let line = block.line;
  for (let at = 0; at < block.text.length; line++) {
    const found = block.text.indexOf('\n', at);
    const end = found < 0 ? block.text.length : found;
    const row = parseLine(block.text.slice(at, end), line, parse, sink);
    if (row !== undefined) batch.add(row, line);
    at = end + 1;
  }
  for (const [name, row] of batch.columns()) sink.column(name, batch.lineOf(row));
  return batch;
}

/** Most lines of such a block have none all the same, and are parsed faster without looking at each number. */
function parseLongNumbers(line: string): unknown {
  return mayHaveLongNumber(line) ? parseExactly(line) : JSON.parse(line);
}

function parseLine(text: string, line: number, parse: (text: string) => unknown, sink: RowSink): object | undefined {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const reason = text.trimEnd().includes('\r') ? CR_LINE_ENDS : `is not JSON: ${withoutLine(error as SyntaxError)}`; // JSON.parse throws nothing else
    if (text.trim() !== '') sink.problem(line, reason);
    return undefined;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  sink.problem(line, `must be a JSON object, not ${show(value)}`);
  return undefined;
}

/** The parser counts lines within the text it is given, which is one line of the file. */
function withoutLine({ message }: SyntaxError): string {
  return message.replace(/ \(line 1 column \d+\)$/, '');
}

/** Objects turned into columns as they arrive. */
class ObjectBatch implements RowBatch {
  readonly #lines: number[] = [];
  readonly #columns = new Map<string, unknown[]>();
  /** Members mostly come in the order of the row before: a guess that spares the map. */
  #names: string[] = [];
  #arrays: unknown[][] = [];

  get rows(): number {
    return this.#lines.length;
  }

  add(object: object, line: number): void {
    const row = this.#lines.push(line) - 1;
    let position = 0;
    for (const name in object) {
      if (this.#names[position] !== name) this.#learn(position, name);
      const values = this.#arrays[position];
      if (values !== undefined) values[row] = (object as Record<string, unknown>)[name]; // a plain object of JSON.parse
      position++;
    }
  }

  /** @returns each column with the first row that has it. */
  *columns(): Generator<[string, number]> {
    for (const [name, values] of this.#columns) yield [name, values.findIndex((_, row) => row in values)];
  }

  async read(column: string): Promise<[] | [{ values: unknown[]; from: number; to: number }]> {
    const values = this.#columns.get(column);
    return values === undefined ? [] : [{ values, from: 0, to: values.length }];
  }

  lineOf(row: number): number {
    return this.#lines[row] ?? 0;
  }

  #learn(position: number, name: string): void {
    const values = this.#columns.get(name) ?? [];
    this.#columns.set(name, values);
    this.#names[position] = name;
    this.#arrays[position] = values;
  }
}
