import { Zip, ZipDeflate } from 'fflate';

/** A number is shown in a format of Excel, such as `0.00%`; null is an empty cell. */
export type Cell = string | { readonly number: number; readonly format: string } | null;
type Rows = readonly (readonly Cell[])[];

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const FROZEN_HEADER =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';
/** Texts have the format `@`, with which one that begins with `=` stays a text when somebody edits it. */
const [TEXT_STYLE, TITLE_STYLE, FIRST_FORMAT] = [1, 2, 3];

/** The files that are the same in every workbook with the sheets “Report” and “About”. */
const FIXED_FILES = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="workbook" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="sheet1" Type="${OFFICE}/worksheet" Target="sheet1.xml"/><Relationship Id="sheet2" Type="${OFFICE}/worksheet" Target="sheet2.xml"/><Relationship Id="styles" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
};

const UTF8 = new TextEncoder();

/** Writes an Excel workbook (ECMA-376) of a sheet with a header and one without. Rows are compressed as they come. */
export class WorkbookWriter {
  readonly #parts: Blob[] = []; // a browser may keep blobs on disk
  readonly #zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    this.#parts.push(new Blob([new Uint8Array(bytes)]));
  });
  readonly #formats: string[] = [];
  readonly #writeReport: (text: string, isLast?: boolean) => void;
  readonly #lastColumn: string;
  #rows = 0;

  /** @param columns of the first sheet, whose header stays in sight and has filters; widths are in characters */
  constructor(columns: readonly { readonly title: string; readonly width: number }[]) {
    for (const [path, text] of Object.entries(FIXED_FILES)) this.#begin(path)(text, true);
    this.#writeReport = this.#begin('xl/sheet1.xml');
    this.#writeReport(`<worksheet ${MAIN}>${FROZEN_HEADER}${beginRows(columns.map(({ width }) => width))}`);
    this.#lastColumn = columnName(columns.length - 1);
    this.addRows([columns.map(({ title }) => title)], TITLE_STYLE);
  }

  addRows(rows: Rows, textStyle = TEXT_STYLE): void {
    this.#writeReport(this.#writeRows(rows, this.#rows, textStyle));
    this.#rows += rows.length;
  }

  /** @param widths of the columns of the second sheet @returns the file */
  finish(widths: readonly number[], rows: Rows): Blob {
    const [column, row] = [this.#lastColumn, this.#rows];
    this.#writeReport(`</sheetData><autoFilter ref="A1:${column}${row}"/></worksheet>`, true);
    const about = `<worksheet ${MAIN}>${beginRows(widths)}${this.#writeRows(rows, 0)}</sheetData></worksheet>`;
    const workbook = `<workbook ${MAIN} xmlns:r="${OFFICE}"><sheets><sheet name="Report" sheetId="1" r:id="sheet1"/><sheet name="About" sheetId="2" r:id="sheet2"/></sheets><definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">Report!$A$1:$${column}$${row}</definedName></definedNames></workbook>`;
    this.#begin('xl/sheet2.xml')(about, true);
    this.#begin('xl/workbook.xml')(workbook, true);
    this.#begin('xl/styles.xml')(writeStyles(this.#formats), true);
    this.#zip.end();
    return new Blob(this.#parts, { type: `${TYPE}.sheet` });
  }

  /** @returns what writes a part of the file */
  #begin(path: string): (text: string, isLast?: boolean) => void {
    const file = new ZipDeflate(path, { level: 1 });
    this.#zip.add(file);
    file.push(UTF8.encode('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'));
    return (text, isLast = false) => file.push(UTF8.encode(text), isLast);
  }

  #writeRows(rows: Rows, before: number, textStyle = TEXT_STYLE): string {
    const lines = rows.map((cells, index) => {
      const row = before + index + 1;
      return `<row r="${row}">${cells.map((cell, column) => this.#writeCell(cell, `r="${columnName(column)}${row}"`, textStyle)).join('')}</row>`;
    });
    return lines.join('');
  }

  #writeCell(cell: Cell, place: string, textStyle: number): string {
    if (cell === null) return '';
    if (typeof cell === 'string')
      return `<c ${place} s="${textStyle}" t="inlineStr"><is><t xml:space="preserve">${escapeText(cell)}</t></is></c>`;
    const found = this.#formats.indexOf(cell.format);
    const style = FIRST_FORMAT + (found >= 0 ? found : this.#formats.push(cell.format) - 1);
    return `<c ${place} s="${style}"><v>${cell.number}</v></c>`;
  }
}

function beginRows(widths: readonly number[]): string {
  const columns = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  return `<cols>${columns.join('')}</cols><sheetData>`;
}

function writeStyles(formats: readonly string[]): string {
  const own = formats.map((format, index) => [164 + index, escapeText(format)] as const); // smaller ids are built in
  const numbers = own.map(([id, format]) => `<numFmt numFmtId="${id}" formatCode="${format}"/>`);
  const styleOf = (id: number, font = 0) =>
    `<xf numFmtId="${id}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
  const styles = [styleOf(0), styleOf(49), styleOf(49, 1), ...own.map(([id]) => styleOf(id))];
  const font = '<sz val="11"/><name val="Calibri"/>';
  return `<styleSheet ${MAIN}>${own.length === 0 ? '' : `<numFmts>${numbers.join('')}</numFmts>`}<fonts><font>${font}</font><font><b/>${font}</font></fonts><fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders><border/></borders><cellStyleXfs><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs><cellStyles><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
}

function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : `${columnName(Math.floor(index / 26) - 1)}${letter}`;
}

/** What XML cannot hold is `_xHHHH_` in a workbook (ECMA-376, ST_Xstring), and so is the `_` of a text that looks like this. */
const UNWRITABLE = /(?![\t\n])\p{Cc}|\p{Cs}|[\ufffe\uffff]|_(?=x[\da-f]{4}_)/giu;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeText(text: string): string {
  const hex = (character: string) => character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return text
    .replace(UNWRITABLE, (character) => `_x${hex(character)}_`)
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
}
