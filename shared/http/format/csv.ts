export interface CsvColumn {
  readonly name: string;
  /** Dates are written without quotation marks, whole decimals with `.0`. All other values are written by their JavaScript type. */
  readonly type?: 'text' | 'integer' | 'decimal' | 'date' | undefined;
}

interface CsvOptions {
  /** Whether the text begins with a byte order mark, by which Excel recognizes UTF-8. */
  readonly bom: boolean;
  /** `escaped`: an apostrophe stands before each text, or part of one, that a spreadsheet would calculate as a formula. */
  readonly formulas: 'unchanged' | 'escaped';
}

type Row = Readonly<Record<string, unknown>>;

/** A text that Excel, LibreOffice or Google Sheets reads as a formula, also after white space and in full-width characters, or that begins with a tab or line break. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/**
 * A place within a text where a spreadsheet begins a cell that it reads as a formula, if it separates fields by semicolons, as in Germany: then it splits at
 * semicolons and line breaks, because quotation marks count only at the beginning of a field.
 */
const INNER_FORMULA = /[;\r\n](?=(?:[^\S\r\n]|")*[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

const LINE_END = '\r\n';

/**
 * @param comments texts for lines before the header, which begin with `# `
 * @returns CSV (RFC 4180) with a header line. Texts are always in quotation marks, numbers, dates and booleans never, and null is empty, so that readers
 * can infer the types, and null and an empty text differ (not in a single column, where null is `""` as well). Lists are one text, joined by `, `. Numbers have no exponent.
 */
export function toCsv(
  columns: readonly CsvColumn[],
  rows: readonly Row[],
  { bom, formulas }: CsvOptions,
  comments: readonly string[] = [],
): string {
  const quote = formulas === 'escaped' ? quoteEscaped : quoteText;
  const absent = columns.length === 1 ? '""' : ''; // an empty line would not be read as a row
  const lines = [...comments.map(writeComment), columns.map(({ name }) => name).join(',')];
  for (const row of rows) {
    // not concatenated with +, which would keep all parts in memory
    lines.push(columns.map(({ name, type }) => writeCell(row[name], type, quote, absent)).join(','));
  }
  return `${bom ? '\ufeff' : ''}${lines.join(LINE_END)}${LINE_END}`;
}

/** @returns one line without quotation marks, which would begin a cell of several lines, and without a formula after a separator */
function writeComment(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('"', "'");
  return `# ${line.replaceAll(/[,;](?= *[=+\-@\uff1d\uff0b\uff0d\uff20])/g, "$&'")}`;
}

/** A whole decimal has `.0`, because readers that look at the first rows only would take a column that begins with whole numbers for integers. */
function writeCell(value: unknown, type: CsvColumn['type'], quote: (text: string) => string, absent: string): string {
  if (typeof value === 'number')
    return type === 'decimal' && Number.isInteger(value) ? `${plainDecimal(value)}.0` : plainDecimal(value);
  if (typeof value === 'string') return type === 'date' ? value : quote(value);
  if (Array.isArray(value)) return quote(value.join(', '));
  return value === null || value === undefined ? absent : String(value);
}

function quoteText(text: string): string {
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;
}

function quoteEscaped(text: string): string {
  return quoteText((FORMULA.test(text) ? `'${text}` : text).replace(INNER_FORMULA, "$&'"));
}

/** @returns the number's shortest decimal that reads as the same number, as in JSON, but never with an exponent */
function plainDecimal(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent);
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, '0')}`;
}
