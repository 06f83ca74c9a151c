import Papa from 'papaparse';
import { type ColumnPiece, type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';
import type { TextBlock } from './text-blocks.ts';

const MAX_RECORD_CHARACTERS = 16 << 20;

/** What Papa's parser gives for a text; its types leave it open. */
interface Parsed {
  readonly data: readonly (readonly string[])[];
  readonly errors: readonly { readonly message: string; readonly row: number }[];
  readonly meta: { readonly cursor: number };
}

/**
 * Reads CSV as of RFC 4180: a header, commas, cells with commas, quotes or line breaks in double quotes; line ends of either kind, as which CRLF
 * counts inside quotes too. Empty lines are passed over. A record that is malformed, or not of the header's length, is told to `sink` and left out.
 */
export async function* readCsv(blocks: AsyncIterable<TextBlock>, sink: RowSink): AsyncGenerator<RowBatch> {
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n' });
  let header: readonly string[] | undefined;
  let line = 1;
  let rest = '';

  const take = (text: string, isLast: boolean): CellBatch | undefined => {
    const parsed: Parsed = parser.parse(text, 0, !isLast);
    rest = text.slice(parsed.meta.cursor);
    const malformed = new Map(parsed.errors.map((it) => [it.row, it.message]));
    const isQuoted = text.includes('"');
    let batch = header === undefined ? undefined : new CellBatch(header);
    for (const [index, cells] of parsed.data.entries()) {
      const at = line;
      line += 1 + (isQuoted ? countLineBreaks(cells) : 0);
      const message = malformed.get(index);
      if (message !== undefined)
        sink.problem(at, `is malformed: ${message.toLowerCase()}, so lines after it may not be checked`);
      if (message !== undefined || (cells.length === 1 && cells[0] === '')) continue;
      if (batch === undefined) {
        header = cells;
        checkHeader(header, at, sink);
        batch = new CellBatch(header);
      } else if (cells.length === batch.width) {
        batch.add(cells, at);
      } else {
        sink.problem(at, `has ${cells.length} cells where the header has ${batch.width}`);
      }
    }
    return batch;
  };

  for await (const block of blocks) {
    const text = block.text.includes('\r') ? block.text.replaceAll('\r\n', '\n') : block.text;
    const batch = take(rest + text, false);
    if (rest.length > MAX_RECORD_CHARACTERS) throw new UnreadableFileError(line, 'has a quoted cell that does not end');
    if (batch !== undefined && batch.rows > 0) yield batch;
  }
  const last = take(rest, true);
  if (last !== undefined && last.rows > 0) yield last;
}

function checkHeader(header: readonly string[], line: number, sink: RowSink): void {
  for (const [index, name] of header.entries()) {
    if (header.indexOf(name) < index) throw new UnreadableFileError(line, `names the column ${name} twice`);
  }
  sink.header(header, line);
}

function countLineBreaks(cells: readonly string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++;
  }
  return count;
}

class CellBatch implements RowBatch {
  readonly #header: readonly string[];
  readonly #columns: string[][];
  readonly #lines: number[] = [];

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#columns = header.map(() => []);
  }

  get rows(): number {
    return this.#lines.length;
  }

  get width(): number {
    return this.#header.length;
  }

  add(cells: readonly string[], line: number): void {
    this.#lines.push(line);
    for (let column = 0; column < cells.length; column++) this.#columns[column]?.push(cells[column] ?? '');
  }

  async read(column: string): Promise<readonly ColumnPiece[]> {
    const values = this.#columns[this.#header.indexOf(column)];
    return values === undefined ? [] : [{ values, from: 0, to: values.length }];
  }

  lineOf(row: number): number {
    return this.#lines[row] ?? 0;
  }
}
