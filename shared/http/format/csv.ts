import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';

export interface CsvColumn {
  readonly name: string;
  /** Whether texts of the column are written as they are: dates have no character that needs quotation marks. */
  readonly isDate: boolean;
}

export interface CsvOptions {
  /** Whether the text begins with a byte order mark, by which Excel recognises UTF-8. */
  readonly bom: boolean;
  /** `escaped`: an apostrophe stands before each text that a spreadsheet would calculate as a formula. */
  readonly formulas: 'unchanged' | 'escaped';
}

type Row = Readonly<Record<string, unknown>>;

/** A text that Excel, LibreOffice or Google Sheets reads as a formula, also after spaces and in full-width characters. */
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

const LINE_END = '\r\n';

/**
 * @returns CSV (RFC 4180) with a header line. Texts are always in quotation marks, numbers, dates and booleans never, and null is empty, so that null and
 * an empty text differ. Lists are one text, joined by `, `. Numbers have a decimal point and no exponent.
 */
export function toCsv(
  columns: readonly CsvColumn[],
  rows: readonly Row[],
  { bom, formulas }: CsvOptions,
  deadline: Deadline = NO_DEADLINE,
): string {
  const quote = formulas === 'escaped' ? quoteEscaped : quoteText;
  // an empty line would not be read as a row
  const empty = columns.length === 1 ? '""' : '';
  const lines = [columns.map(({ name }) => name).join(',')];
  for (const row of rows) {
    deadline.spend(columns.length);
    let line = '';
    let separator = '';
    for (const { name, isDate } of columns) {
      const value = row[name];
      line += separator;
      separator = ',';
      if (typeof value === 'string') line += isDate ? value : quote(value);
      else if (typeof value === 'number') line += decimalText(value);
      else if (Array.isArray(value)) line += quote(value.join(', '));
      else line += value === null || value === undefined ? empty : String(value);
    }
    lines.push(line);
  }
  return `${bom ? '\ufeff' : ''}${lines.join(LINE_END)}${LINE_END}`;
}

function quoteText(text: string): string {
  return `"${text.includes('"') ? text.replaceAll('"', '""') : text}"`;
}

function quoteEscaped(text: string): string {
  return quoteText(FORMULA.test(text) ? `'${text}` : text);
}

/** @returns the number's shortest decimal that reads as the same number, as in JSON, but never with an exponent */
export function decimalText(value: number): string {
  const text = String(value);
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)\.?(\d*)e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = `${whole}${fraction}`;
  const point = whole.length + Number(exponent);
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : `${sign}${digits.padEnd(point, '0')}`;
}
