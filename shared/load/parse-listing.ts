import { type ColumnSpec, type ListingFile, type ListingRow, listingColumns } from './file-columns.ts';
import { Invalid } from './invalid.ts';
import { isAbsent, ownText, parseValue, type ValueFormat } from './parse-value.ts';
import { BatchProblems, type Problems } from './problems.ts';
import type { RowBatch } from './row-batch.ts';
import type { Cell } from './value-types.ts';

/** The rows of a listing file with the line each stands in. */
export interface ParsedListing<L extends ListingFile = ListingFile> {
  readonly listing: L;
  readonly file: string;
  readonly rows: readonly ListingRow<L>[];
  readonly lines: readonly number[];
}

type Row = Readonly<Record<string, Cell>>;

/** The rows of a batch as far as they are right. */
interface ParsedBatch {
  readonly rows: readonly Row[];
  /** By row, the columns that have a value, which is wrong. */
  readonly wrong: ReadonlyMap<number, readonly string[]>;
}

/** Checks the rows of one listing file, each by itself and for being the only one of its id. */
export async function parseListing<L extends ListingFile>(
  listing: L,
  file: string,
  batches: AsyncIterable<RowBatch>,
  format: ValueFormat,
  problems: Problems,
): Promise<ParsedListing<L>> {
  const columns = listingColumns(listing);
  const rows: Row[] = [];
  const lines: number[] = [];
  const firstLines = new Map<Cell, number>();
  for await (const batch of batches) {
    const found = new BatchProblems(problems.limit);
    const parsed = await parseBatch(batch, columns, format, found);
    for (const [row, cells] of parsed.rows.entries()) {
      checkRow(listing, cells, parsed.wrong.get(row) ?? [], (field, reason) => found.add(row, field, reason));
      const line = batch.lineOf(row);
      for (const { field, key } of uniqueKeys(listing, columns, cells)) {
        const first = firstLines.get(key);
        if (first === undefined) firstLines.set(key, line);
        else found.add(row, field, `${cells[field]} is already in line ${first}`);
      }
      rows.push(cells);
      lines.push(line);
    }
    problems.addRows(
      file,
      found.told((row) => batch.lineOf(row)),
    );
  }
  return { listing, file, rows: rows as unknown as ListingRow<L>[], lines }; // each cell was parsed by the spec that makes the type
}

async function parseBatch(
  batch: RowBatch,
  columns: readonly ColumnSpec[],
  format: ValueFormat,
  problems: BatchProblems,
): Promise<ParsedBatch> {
  const rows: Record<string, Cell>[] = Array.from({ length: batch.rows }, () => ({}));
  const wrong = new Map<number, string[]>();
  for (const spec of columns) {
    const parse = (row: number, raw: unknown) => {
      const reason = parseCell(rows[row] ?? {}, raw, spec, format);
      if (reason === undefined) return;
      problems.add(row, spec.name, reason);
      if (!isAbsent(raw)) wrong.set(row, [...(wrong.get(row) ?? []), spec.name]);
    };
    let row = 0;
    for (const { values, from, to } of await batch.read(spec.name)) {
      for (let i = from; i < to; i++, row++) parse(row, values[i]);
    }
    for (; row < batch.rows; row++) parse(row, undefined);
  }
  return { rows, wrong };
}

/** Adds the cell to the row, or its default. @returns what is wrong with it */
function parseCell(row: Record<string, Cell>, raw: unknown, spec: ColumnSpec, format: ValueFormat): string | undefined {
  if (isAbsent(raw)) {
    if (spec.default !== undefined) row[spec.name] = spec.default;
    return spec.required === true ? 'is required' : undefined;
  }
  const cell = parseValue(ownText(raw), spec.type, format);
  if (cell instanceof Invalid) return cell.reason;
  if (spec.required === true || !isEmptyList(cell)) row[spec.name] = cell;
  return undefined;
}

/** CSV cannot tell an empty list from an absent one. */
function isEmptyList(cell: Cell): boolean {
  return Array.isArray(cell) && cell.length === 0;
}

/** What may occur only once in the file: the id, and a product's UPC per advertiser. */
function uniqueKeys(listing: ListingFile, columns: readonly ColumnSpec[], row: Row): { field: string; key: Cell }[] {
  const id = columns[0]?.name ?? '';
  const cell = row[id];
  const keys = cell === undefined ? [] : [{ field: id, key: cell }];
  if (listing === 'products' && row.upc !== undefined && row.advertiserId !== undefined) {
    keys.push({ field: 'upc', key: `${row.advertiserId}/${row.upc}` });
  }
  return keys;
}

/** What the cells of a row must be to each other; `wrong` are columns whose value is not in the row because it is wrong. */
function checkRow(
  listing: ListingFile,
  row: Row,
  wrong: readonly string[],
  onInvalid: (field: string, reason: string) => void,
): void {
  const { startDate, endDate, accountId, accountIds } = row;
  const isGiven = (column: string) => column in row || wrong.includes(column);
  if (isGiven('budget') && !isGiven('budgetType')) onInvalid('budgetType', 'is required with budget');
  if (isGiven('budgetType') && !isGiven('budget')) onInvalid('budget', 'is required with budgetType');
  if (startDate !== undefined && endDate !== undefined && endDate < startDate) {
    onInvalid('endDate', `must not be before startDate, ${startDate}`);
  }
  if (
    listing === 'advertisers' &&
    accountId !== undefined &&
    Array.isArray(accountIds) &&
    !accountIds.includes(accountId)
  ) {
    onInvalid('accountIds', `must contain accountId, ${accountId}`);
  }
}
