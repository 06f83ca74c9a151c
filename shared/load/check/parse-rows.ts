import {
  type ColumnSpec,
  DELETED_COLUMN,
  type ListingFile,
  type ListingRow,
  listingColumns,
} from '../schema/file-columns.ts';
import { detach, isAbsent, parseValue, type ValueFormat } from '../schema/parse-value.ts';
import { BatchProblems, type Problems } from '../schema/problems.ts';
import { type Cell, Invalid } from '../schema/value-types.ts';
import type { ListingDataFile } from '../source/find-files.ts';
import { FileSink, type RowBatch } from '../source/row-batch.ts';

/** Cells by column; absent cells are missing. */
export type CellRow = Readonly<Record<string, Cell>>;

/** The valid cells of a file's rows, with the line of each row. */
export interface ParsedRows {
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

/** Checks the cells of each row by the columns' specs, and then the row as a whole, up to the row that cannot be read. Problems go to `problems`. */
export async function parseRows(
  file: string,
  columns: readonly ColumnSpec[],
  batches: AsyncIterable<RowBatch>,
  format: ValueFormat,
  problems: Problems,
  check: RowCheck,
): Promise<ParsedRows> {
  const rows: CellRow[] = [];
  const lines: number[] = [];
  const sink = new FileSink(file, columns, problems);
  try {
    for await (const batch of batches) {
      const found = new BatchProblems(problems.limit);
      try {
        const parsed = await parseBatch(batch, columns, format, found);
        for (const [row, cells] of parsed.rows.entries()) {
          const line = batch.lineOf(row);
          check(cells, parsed.wrong.get(row) ?? [], line, (field, reason) => found.add(row, field, reason));
          rows.push(cells);
          lines.push(line);
        }
      } catch (error) {
        sink.fail(error); // a column of a Parquet file is read when it is checked; first, because problems beyond the limit are only counted
        return { rows, lines };
      } finally {
        const inBatch = found.finish((row) => batch.lineOf(row));
        problems.addRows(file, inBatch);
      }
    }
  } catch (error) {
    sink.fail(error);
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
    const values = await batch.read(spec.name);
    for (const [row, cells] of rows.entries()) {
      const reason = parseCell(cells, values[row], spec, format);
      if (reason === undefined) continue;
      problems.add(row, spec.name, reason);
      if (!isAbsent(values[row])) wrong.set(row, [...(wrong.get(row) ?? []), spec.name]);
    }
  }
  return { rows, wrong };
}

/** Adds the cell to the row, or its default. @returns what is wrong with it */
function parseCell(row: Record<string, Cell>, raw: unknown, spec: ColumnSpec, format: ValueFormat): string | undefined {
  if (isAbsent(raw)) {
    if (spec.default !== undefined) row[spec.name] = spec.default;
    return isRequired(spec, row) ? 'is required' : undefined;
  }
  const parsed = parseValue(raw, spec.type, format);
  if (parsed instanceof Invalid) return parsed.reason;
  const cell = detach(parsed);
  if (isRequired(spec, row) || !isEmptyList(cell)) row[spec.name] = cell;
  return undefined;
}

/** @param row the cells of the columns before */
function isRequired({ required }: ColumnSpec, row: CellRow): boolean {
  return required === true || (required === 'unless deleted' && !isDeleted(row));
}

/** @returns whether a row of a patch removes the listed row with its id */
export function isDeleted(row: CellRow): boolean {
  return row[DELETED_COLUMN.name] === true;
}

/** An empty list counts as absent if the column allows it, because CSV writes both in the same way. */
function isEmptyList(cell: Cell): boolean {
  return Array.isArray(cell) && cell.length === 0;
}

/** A listing as its file makes it, with the line of each row. */
export interface ParsedListing {
  readonly listing: ListingFile;
  readonly file: string;
  readonly rows: readonly ListingRow<ListingFile>[];
  /** Undefined for the rows of the table that a patch keeps. */
  readonly lines: readonly (number | undefined)[];
  /** Absent if the file has the whole listing. */
  readonly patch?: AppliedPatch;
}

/** What a patch does to its listing. */
export interface AppliedPatch {
  readonly added: number;
  /** Rows that differ from the listed rows with their ids. */
  readonly replaced: number;
  readonly removed: number;
  /** The lines of the patch's rows that delete, by id, listed or not. */
  readonly deletedLines: ReadonlyMap<Cell, number>;
  readonly warnings: readonly string[];
}

/** Checks the rows of one listing file or patch, each separately and for unique ids and UPCs. @returns the rows of the file */
export function parseListing(
  { listing, name }: ListingDataFile,
  columns: readonly ColumnSpec[],
  batches: AsyncIterable<RowBatch>,
  format: ValueFormat,
  problems: Problems,
): Promise<ParsedRows> {
  const firstLines = new Map<Cell, number>();
  const check: RowCheck = (row, wrong, line, onInvalid) => {
    if (!isDeleted(row)) checkRow(listing, row, wrong, onInvalid);
    for (const unique of [idKey(listing, row, wrong), upcKey(listing, row)]) {
      checkUnique(unique, firstLines, row, line, onInvalid);
    }
  };
  return parseRows(name, columns, batches, format, problems, check);
}

/** A value that may occur once in the file. `text` describes it in messages; absent = the value of the field. */
export interface UniqueKey {
  readonly field: string;
  readonly key: Cell;
  readonly text?: string;
}

/** Reports a key that another row of the file has. @param firstLines the lines of the keys so far, which the key is added to */
export function checkUnique(
  unique: UniqueKey | undefined,
  firstLines: Map<Cell, number>,
  row: CellRow,
  line: number,
  onInvalid: (field: string, reason: string) => void,
): void {
  if (unique === undefined) return;
  const { field, key, text } = unique;
  const first = firstLines.get(key);
  if (first === undefined) firstLines.set(key, line);
  else onInvalid(field, `${text ?? row[field]} is already in line ${first}`);
}

/** @returns what identifies the row in its listing: the id; of freshness, the experience and advertiser. Undefined if it is wrong or absent. */
export function idKey(listing: ListingFile, row: CellRow, wrong: readonly string[] = []): UniqueKey | undefined {
  if (listing === 'freshness') return freshnessKey(row, wrong);
  const field = listingColumns(listing)[0]?.name ?? '';
  const key = row[field];
  return key === undefined ? undefined : { field, key };
}

function freshnessKey({ experience, advertiserId }: CellRow, wrong: readonly string[]): UniqueKey | undefined {
  if (experience === undefined || wrong.includes('advertiserId')) return undefined;
  if (advertiserId === undefined)
    return { field: 'experience', key: experience, text: `${experience} without advertiserId` };
  return { field: 'advertiserId', key: `${experience}/${advertiserId}`, text: `${advertiserId} with ${experience}` };
}

/** @returns the UPC of a product, which is unique per advertiser; undefined for other rows */
export function upcKey(listing: ListingFile, row: CellRow): UniqueKey | undefined {
  const { advertiserId, upc } = row;
  if (listing !== 'products' || upc === undefined || advertiserId === undefined || isDeleted(row)) return undefined;
  return { field: 'upc', key: `${advertiserId}/${upc}` };
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
