import { NULL_TEXT } from '../schema/parse-value.ts';
import { batchOf, type HeaderSink, type RowBatch, type RowSink, UnreadableFileError, withNulls } from './row-batch.ts';
import { CR_LINE_ENDINGS, decodeBlock, endOfLines, type TextBlock } from './text-blocks.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;
const TAB = 0x09;

/** A header with another separator is read as one column, whose name contains the separator; no column has such a name. */
const OTHER_SEPARATORS = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'pipes'],
] as const;

/** A column without a name: its cells must be empty. */
const UNNAMED = '';

/** @returns the end of the last complete record: records are lines, except for line breaks within quotes; 0 if none is complete */
export function endOfCsvRecords(bytes: Buffer): number {
  if (!bytes.includes(QUOTE)) return endOfLines(bytes);
  let last = 0;
  for (let end = endOfRecord(bytes, 0); end > 0; end = endOfRecord(bytes, end)) last = end;
  return last;
}

/**
 * Reads the first record of a file, which names the columns, and reports them to the sink.
 * @returns the columns as we name them, `UNNAMED` after the last name, null if a column is ignored; undefined if the block has empty lines only; and the block after them
 * @throws UnreadableFileError if the record is not UTF-8, is malformed, has CR line endings, has other separators than commas, names a column twice or one not
 * at all, or if the sink rejects the columns
 */
export function readHeader(
  block: TextBlock,
  sink: HeaderSink,
): { readonly header: CsvHeader | undefined; readonly rest: TextBlock } {
  let { bytes, line } = block;
  while (bytes.length > 0) {
    const end = endOfRecord(bytes, 0) || bytes.length;
    const text = decodeBlock({ bytes: bytes.subarray(0, end), line });
    if (!text.includes('\n') && text.trimEnd().includes('\r')) throw new UnreadableFileError(line, CR_LINE_ENDINGS);
    const record = new RecordReader(text);
    record.next();
    const { cells, malformed } = record;
    if (malformed !== undefined) {
      throw new UnreadableFileError(line, `is malformed: ${malformed}, so the columns are not known`);
    }
    bytes = bytes.subarray(end);
    const at = line;
    line += record.lines;
    if (record.isEmptyLine) continue;
    const rest = { bytes, line };
    return { header: nameColumns(cells, at, rest, sink), rest };
  }
  return { header: undefined, rest: { bytes, line } };
}

/**
 * Reads CSV (RFC 4180): cells are separated by commas; a cell in double quotes may contain commas, quotes ("") and line breaks, which are kept. Lines end
 * in LF or CRLF. Unlike RFC 4180, spaces and tabs after a closing quote are ignored. Empty lines are skipped. A record that is malformed, or not as long
 * as the header, is reported to the sink and left out, as are those with empty cells only.
 * @throws UnreadableFileError at the first line that is not UTF-8
 */
export function readCsv(block: TextBlock, header: CsvHeader, sink: RowSink): RowBatch {
  const text = decodeBlock(block);
  const records = new RecordReader(text);
  const columns = header.map((name): string[] | undefined => (name === null || name === UNNAMED ? undefined : []));
  const named = header.findLastIndex((name) => name !== UNNAMED) + 1;
  const lines: number[] = [];
  for (let { line } = block; records.next(); line += records.lines) {
    const { cells, count, malformed } = records;
    if (malformed !== undefined) {
      sink.problem(line, `is malformed: ${malformed}, so lines after it may not be checked`);
    } else if (records.isEmptyLine) {
      // skipped
    } else if (cells[0] === '' && isEmpty(cells, 0, count)) {
      sink.emptyRow(line);
    } else if (count !== header.length) {
      const escapes = cells.slice(0, count).some((cell) => cell.endsWith('\\')) ? `; ${BACKSLASHES}` : '';
      sink.problem(line, `has ${count} cells, but the header has ${header.length}${escapes}`);
    } else if (!isEmpty(cells, named, count)) {
      sink.problem(line, `has a value in a column without a name, after the ${named} columns that the header names`);
    } else {
      lines.push(line);
      for (let i = 0; i < count; i++) columns[i]?.push(cells[i] ?? '');
    }
  }
  const batch = batchOf(new Map(header.map((name, i) => [name ?? UNNAMED, columns[i] ?? []])), lines, true);
  return text.includes(NULL_TEXT) ? withNulls(batch, (raw) => raw === NULL_TEXT) : batch;
}

/** The columns of a file as we name them. */
export type CsvHeader = readonly (string | null)[];

const BACKSLASHES = 'backslashes do not escape quotes: write "" for a quote (in Spark, the option escape)';

function isEmpty(cells: readonly string[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (cells[i] !== '') return false;
  return true;
}

/** Reads the records of a text one after another. */
class RecordReader {
  /** The first `count` elements are the record's cells; the rest are left over from longer records before. */
  readonly cells: string[] = [];
  /** How many cells the record has. */
  count = 0;
  /** What is wrong with the record's quotes. */
  malformed: string | undefined;
  /** How many lines the record takes. */
  lines = 1;
  readonly #text: string;
  readonly #hasQuotes: boolean;
  #at = 0;
  /** The next comma and the next line break from the position that was searched last; the length of the text if there is none. */
  #comma = -1;
  #lineEnd = -1;

  constructor(text: string) {
    this.#text = text;
    this.#hasQuotes = text.includes('"');
  }

  get isEmptyLine(): boolean {
    return this.count === 1 && this.cells[0] === '';
  }

  /** @returns whether there was another record */
  next(): boolean {
    const text = this.#text;
    if (this.#at >= text.length) return false;
    this.count = 0;
    this.malformed = undefined;
    this.lines = 1;
    for (let from = this.#at; ; ) {
      const isQuoted = this.#hasQuotes && text.charCodeAt(from) === QUOTE;
      const quoted = isQuoted ? this.#readQuoted(from) : undefined;
      const begin = quoted === undefined ? from : quoted.end;
      if (this.#lineEnd < begin) this.#lineEnd = this.#find('\n', begin);
      if (this.#comma < begin) this.#comma = this.#find(',', begin);
      const isLast = this.#lineEnd <= this.#comma; // both are equal at the end of the text only
      const end = isLast ? this.#lineEnd : this.#comma;
      const to = isLast && text.charCodeAt(end - 1) === RETURN && end > begin ? end - 1 : end;
      this.cells[this.count++] = quoted === undefined ? text.slice(from, to) : quoted.cell;
      from = end + 1;
      if (!isLast) continue;
      this.#at = from;
      return true;
    }
  }

  #find(character: string, from: number): number {
    const at = this.#text.indexOf(character, from);
    return at < 0 ? this.#text.length : at;
  }

  /**
   * Reads the cell whose quote is at `open`; adds its line breaks to `lines`, and sets `malformed`.
   * @returns the cell without quotes, and the index after its closing quote
   */
  #readQuoted(open: number): { cell: string; end: number } {
    const text = this.#text;
    let cell = '';
    for (let from = open + 1; ; ) {
      const quote = text.indexOf('"', from);
      const part = text.slice(from, quote < 0 ? text.length : quote);
      cell += part;
      if (part.includes('\n')) this.lines += part.split('\n').length - 1;
      from = quote + 1;
      if (quote < 0) {
        if (this.malformed !== BACKSLASHES) this.malformed = 'a quoted cell is not closed';
        return { cell, end: text.length };
      }
      if (text.charCodeAt(from) !== QUOTE) {
        if (isEndOfCell(text, from)) return { cell, end: from };
        this.malformed = part.endsWith('\\') ? BACKSLASHES : 'a closing quote is followed by other text';
      } else {
        from++;
      }
      cell += '"';
    }
  }
}

/** What may follow a closing quote. */
const END_OF_CELL = /[ \t\r]*(?:[,\n]|$)/y;

function isEndOfCell(text: string, at: number): boolean {
  END_OF_CELL.lastIndex = at;
  return END_OF_CELL.test(text);
}

/** @returns the end of the record that begins at `from`, line break included; 0 if it does not end. Follows the rules of `RecordReader`. */
function endOfRecord(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === QUOTE) at = endOfQuoted(bytes, at);
    while (at < bytes.length && bytes[at] !== COMMA && bytes[at] !== NEWLINE) at++;
    if (bytes[at] === NEWLINE) return at + 1;
  }
  return 0;
}

/**
 * @returns the index of the comma or LF after the quoted cell that begins at `open`, past trailing spaces, tabs and CRs; `bytes.length` if there is none
 */
function endOfQuoted(bytes: Uint8Array, open: number): number {
  for (let at = open + 1; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] === QUOTE) {
      at++;
      continue;
    }
    let next = at + 1;
    while (bytes[next] === SPACE || bytes[next] === TAB || bytes[next] === RETURN) next++;
    if (next >= bytes.length || bytes[next] === COMMA || bytes[next] === NEWLINE) return next;
  }
  return bytes.length;
}

/** @param rest what follows the header. @returns the columns as we name them. @throws UnreadableFileError if the header or the sink rejects them */
function nameColumns(cells: readonly string[], line: number, rest: TextBlock, sink: HeaderSink): CsvHeader {
  const columns = cells.slice(0, cells.findLastIndex((name) => name !== UNNAMED) + 1);
  if (sink.missing(columns).length > 0) {
    const header = findHeader(rest, sink);
    if (header !== undefined)
      throw new UnreadableFileError(line, `is not the header, which is in line ${header}: remove the lines before it`);
  }
  const [only = '', ...others] = cells;
  const [, separator] = OTHER_SEPARATORS.find(([character]) => others.length === 0 && only.includes(character)) ?? [];
  if (separator !== undefined) {
    throw new UnreadableFileError(line, `separates its columns by ${separator}; they must be separated by commas`);
  }
  const isIndex = columns[0] === UNNAMED && countsRows(rest);
  if (isIndex) sink.warn('the first column has no name and counts rows, as pandas writes its index: it is ignored');
  if (columns.length < cells.length) sink.warn('columns without a name and values, after the last one, are ignored');
  const names = isIndex ? columns.slice(1) : columns;
  const unique = new Set<string>();
  for (const [i, name] of names.entries()) {
    const hint = i === 0 ? ': an index that pandas writes? use index=False' : '';
    if (name === UNNAMED)
      throw new UnreadableFileError(line, `has no name for column ${i + columns.length - names.length + 1}${hint}`);
    if (unique.size === unique.add(name).size) throw new UnreadableFileError(line, `names the column ${name} twice`);
  }
  const ours = sink.header(names, line);
  return [...(isIndex ? [null] : []), ...ours, ...cells.slice(columns.length)];
}

/** @returns the records of the block, and the line of each. @throws UnreadableFileError at a record that is not UTF-8 */
function* recordsOf({ bytes, line }: TextBlock): Generator<{ cells: readonly string[]; line: number }> {
  while (bytes.length > 0) {
    const end = endOfRecord(bytes, 0) || bytes.length;
    const record = new RecordReader(decodeBlock({ bytes: bytes.subarray(0, end), line }));
    record.next();
    yield { cells: record.cells, line };
    line += record.lines;
    bytes = bytes.subarray(end);
  }
}

/** @returns the line of the header after a preface, as reports have it */
function findHeader(rest: TextBlock, sink: HeaderSink): number | undefined {
  return recordsOf(rest).find(({ cells }) => sink.missing(cells).length === 0)?.line;
}

/** @returns whether the first cells of the next rows are a number and the one after it */
function countsRows(rest: TextBlock): boolean {
  const [first, second] = [...recordsOf(rest).take(2)].map(({ cells }) => Number(cells[0] || Number.NaN));
  return Number.isInteger(first) && (second === undefined || second === Number(first) + 1);
}
