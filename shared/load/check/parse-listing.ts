import { type ListingFile, type ListingRow, listingColumns } from '../schema/file-columns.ts';
import type { ValueFormat } from '../schema/parse-value.ts';
import type { Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { RowBatch } from '../source/row-batch.ts';
import { type CellRow, parseRows } from './parse-rows.ts';

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
): Promise<ParsedListing<L>> {
  const firstLines = new Map<Cell, number>();
  const columns = listingColumns(listing);
  const { rows, lines } = await parseRows(file, columns, batches, format, problems, (row, wrong, line, onInvalid) => {
    checkRow(listing, row, wrong, onInvalid);
    for (const { field, key, text } of uniqueKeys(listing, row, wrong)) {
      const first = firstLines.get(key);
      if (first === undefined) firstLines.set(key, line);
      else onInvalid(field, `${text ?? row[field]} is already in line ${first}`);
    }
  });
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
