import Papa from 'papaparse';
import { tellWidth } from './read-plain-csv.ts';
import { type ColumnPiece, type RowBatch, type RowSink, UnreadableFileError } from './row-batch.ts';
import { CR_LINE_ENDS, type TextBlock } from './text-blocks.ts';

const MAX_RECORD_CHARACTERS = 16 << 20;

/**
 * Stands for a CR before a quote while a text is parsed, so that a CR at the end of a record is never the end of a quoted cell, but part of the line end.
 * A lone surrogate, which no text decoded from UTF-8 has.
 */
const QUOTED_CR = '\udfff';

/** What Papa's parser gives for a text; its types leave it open. */
interface Parsed {
  readonly data: readonly string[][];
  readonly errors: readonly { readonly message: string; readonly row: number }[];
  readonly meta: { readonly cursor: number };
}

/** What is separated so is a single column to RFC 4180, and none of ours has such a name. */
const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
] as const;

/**
 * Reads CSV as of RFC 4180: a header, commas, cells with commas, quotes or line breaks in double quotes, which are kept as they are; lines end in LF or
 * CRLF. Empty lines are passed over. A record that is malformed, or not of the header's length, is told to the sink and left out.
 */
export class CsvReader {
  readonly #parser = new Papa.Parser({ delimiter: ',', newline: '\n' });
  readonly #sink: RowSink;
  #header: readonly string[] | undefined;
  #line = 1;
  #rest = '';

  /** @param header of a file whose first lines were read before; absent = the first record is the header */
  constructor(sink: RowSink, header?: readonly string[]) {
    this.#sink = sink;
    this.#header = header;
  }

  /** Known as soon as a record was read. */
  get header(): readonly string[] | undefined {
    return this.#header;
  }

  /** @returns whether the next block begins with a new record */
  get isBetweenRecords(): boolean {
    return this.#rest === '';
  }

  /**
   * Reads the block's records, the first of which may have begun in the block before, and the last of which may end in the next.
   * @throws UnreadableFileError where a quoted cell does not end, or the header is none
   */
  read({ text, line }: TextBlock): RowBatch | undefined {
    if (this.isBetweenRecords) this.#line = line;
    if (this.#header === undefined && !text.includes('\n') && text.trimEnd().includes('\r')) {
      throw new UnreadableFileError(line, CR_LINE_ENDS);
    }
    const batch = this.#take(this.#rest + text.replaceAll('\r"', `${QUOTED_CR}"`), false);
    if (this.#rest.length > MAX_RECORD_CHARACTERS) {
      throw new UnreadableFileError(this.#line, 'has a quoted cell that does not end');
    }
    return batch;
  }

  /**
   * @returns the last record, where it lacks its line end
   * @throws UnreadableFileError where there was no record at all: an empty file says nothing, also not that its listing is empty
   */
  end(): RowBatch | undefined {
    const batch = this.#take(this.#rest === '' ? '' : `${this.#rest}\n`, true);
    if (this.#header === undefined) throw new UnreadableFileError(null, 'has no header line: it must name the columns');
    return batch;
  }

  #take(text: string, isLast: boolean): CellBatch | undefined {
    const parsed: Parsed = this.#parser.parse(text, 0, !isLast);
    this.#rest = text.slice(parsed.meta.cursor);
    const malformed = new Map(parsed.errors.map((it) => [it.row, it.message]));
    const isQuoted = text.includes('"');
    const restore = text.includes(QUOTED_CR);
    let batch = this.#header === undefined ? undefined : new CellBatch(this.#header);
    for (const [index, cells] of parsed.data.entries()) {
      dropLineEnd(cells);
      if (restore) restoreCells(cells);
      const at = this.#line;
      this.#line += 1 + (isQuoted ? countLineBreaks(cells) : 0);
      const message = malformed.get(index)?.toLowerCase();
      if (message !== undefined && batch === undefined) {
        throw new UnreadableFileError(at, `is malformed: ${message}, so the columns are not known`);
      } else if (message !== undefined) {
        this.#sink.problem(at, `is malformed: ${message}, so lines after it may not be checked`);
      } else if (cells.length === 1 && cells[0] === '') {
        // an empty line
      } else if (batch === undefined) {
        checkHeader(cells, at, this.#sink);
        this.#header = cells;
        batch = new CellBatch(cells);
      } else if (cells.length === batch.width) {
        batch.add(cells, at);
      } else {
        this.#sink.problem(at, tellWidth(cells.length, batch.width));
      }
    }
    return batch;
  }
}

/** Records are parsed as if they ended in LF: of a CRLF the CR is left in the last cell, unless that is quoted. */
function dropLineEnd(cells: string[]): void {
  const last = cells.at(-1);
  if (last?.endsWith('\r') === true) cells[cells.length - 1] = last.slice(0, -1);
}

function restoreCells(cells: string[]): void {
  for (const [column, cell] of cells.entries()) cells[column] = cell.replaceAll(QUOTED_CR, '\r');
}

function checkHeader(header: readonly string[], line: number, sink: RowSink): void {
  const [only = '', ...others] = header;
  const [, separator] = OTHER_SEPARATORS.find(([character]) => others.length === 0 && only.includes(character)) ?? [];
  if (separator !== undefined) {
    throw new UnreadableFileError(line, `separates its columns by ${separator}; they must be separated by commas`);
  }
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
