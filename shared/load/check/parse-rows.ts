import { type ColumnSpec, type ListingFile, type ListingRow, listingColumns } from '../schema/file-columns.ts';
import { detach, isAbsent, parseValue, type ValueFormat } from '../schema/parse-value.ts';
import { BatchProblems, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import { Invalid } from '../schema/value-types.ts';
import type { RowBatch } from '../source/row-batch.ts';
import { HeldRows } from './held-rows.ts';

/** Cells by column; absent cells are missing. */
export type CellRow = Readonly<Record<string, Cell>>;

/** The valid cells of a file's rows, with the line of each row. */
interface ParsedRows {
  readonly rows: readonly CellRow[];
  readonly lines: readonly number[];
}

/**
 * Checks the cells of a row against each other.
 * @param wrong columns whose value is missing from the row because it is wrong
 */
export type RowCheck = (
  row: CellRow,
  wrong: readonly string[],
  line: number,
  onInvalid: (field: string, reason: string) => void,
) => void;

/** The valid cells of a batch's rows. */
interface ParsedBatch {
  readonly rows: readonly CellRow[];
  /** By row, the columns whose value is wrong. */
  readonly wrong: ReadonlyMap<number, readonly string[]>;
}

/** Checks the cells of each row by the columns' specs, and then the row as a whole. Problems go to `problems`. */
export async function parseRows(
  file: string,
  columns: readonly ColumnSpec[],
  batches: AsyncIterable<RowBatch>,
  format: ValueFormat,
  problems: Problems,
  check: RowCheck,
  held: HeldRows = new HeldRows(),
): Promise<ParsedRows> {
  const rows: CellRow[] = [];
  const lines: number[] = [];
  for await (const batch of batches) {
    const found = new BatchProblems(problems.limit);
    const parsed = await parseBatch(batch, columns, format, found);
    for (const [row, cells] of parsed.rows.entries()) {
      const line = batch.lineOf(row);
      const tooMuch = held.add(cells);
      if (tooMuch !== undefined) {
        problems.add({ file, line, field: null, reason: tooMuch });
        return { rows, lines };
      }
      check(cells, parsed.wrong.get(row) ?? [], line, (field, reason) => found.add(row, field, reason));
      rows.push(cells);
      lines.push(line);
    }
    problems.addRows(
      file,
      found.finish((row) => batch.lineOf(row)),
    );
  }
  return { rows, lines };
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
    const values = await batch.read(spec.name);
    for (let row = 0; row < batch.rows; row++) parse(row, values[row]);
  }
  return { rows, wrong };
}

/** Adds the cell to the row, or its default. @returns what is wrong with it */
function parseCell(row: Record<string, Cell>, raw: unknown, spec: ColumnSpec, format: ValueFormat): string | undefined {
  if (isAbsent(raw)) {
    if (spec.default !== undefined) row[spec.name] = spec.default;
    return spec.required === true ? 'is required' : undefined;
  }
  const cell = parseValue(detach(raw), spec.type, format);
  if (cell instanceof Invalid) return cell.reason;
  if (spec.required === true || !isEmptyList(cell)) row[spec.name] = cell;
  return undefined;
}

/** An empty list counts as absent if the column allows it, because CSV writes both in the same way. */
function isEmptyList(cell: Cell): boolean {
  return Array.isArray(cell) && cell.length === 0;
}

/** The rows of a listing file, with the line of each. */
export interface ParsedListing<L extends ListingFile = ListingFile> {
  readonly listing: L;
  readonly file: string;
  readonly rows: readonly ListingRow<L>[];
  readonly lines: readonly number[];
}

/** Checks the rows of one listing file, each separately and for unique ids. */
export async function parseListing<L extends ListingFile>(
  listing: L,
  file: string,
  batches: AsyncIterable<RowBatch>,
  format: ValueFormat,
  problems: Problems,
  held: HeldRows,
): Promise<ParsedListing<L>> {
  const firstLines = new Map<Cell, number>();
  const columns = listingColumns(listing);
  const check: RowCheck = (row, wrong, line, onInvalid) => {
    checkRow(listing, row, wrong, onInvalid);
    for (const { field, key, text } of uniqueKeys(listing, row, wrong)) {
      const first = firstLines.get(key);
      if (first === undefined) firstLines.set(key, line);
      else onInvalid(field, `${text ?? row[field]} is already in line ${first}`);
    }
  };
  const { rows, lines } = await parseRows(file, columns, batches, format, problems, check, held);
  return { listing, file, rows: rows as unknown as ListingRow<L>[], lines }; // each cell was parsed by the spec that makes the type
}

/** A value that may occur once in the file. `text` describes it in messages; absent = the value of the field. */
interface UniqueKey {
  readonly field: string;
  readonly key: Cell;
  readonly text?: string;
}

/** @returns what may occur only once in the file: the id, a product's UPC per advertiser, a freshness per experience and advertiser */
function uniqueKeys(listing: ListingFile, row: CellRow, wrong: readonly string[]): UniqueKey[] {
  if (listing === 'freshness') return freshnessKeys(row, wrong);
  const id = listingColumns(listing)[0]?.name ?? '';
  const cell = row[id];
  const keys = cell === undefined ? [] : [{ field: id, key: cell }];
  if (listing === 'products' && row.upc !== undefined && row.advertiserId !== undefined) {
    keys.push({ field: 'upc', key: `${row.advertiserId}/${row.upc}` });
  }
  return keys;
}

function freshnessKeys({ experience, advertiserId }: CellRow, wrong: readonly string[]): UniqueKey[] {
  if (experience === undefined || wrong.includes('advertiserId')) return [];
  if (advertiserId === undefined)
    return [{ field: 'experience', key: experience, text: `${experience} without advertiserId` }];
  return [{ field: 'advertiserId', key: `${experience}/${advertiserId}`, text: `${advertiserId} with ${experience}` }];
}

/** Checks the cells of a row against each other. @param wrong columns whose value is missing from the row because it is wrong */
function checkRow(
  listing: ListingFile,
  row: CellRow,
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
