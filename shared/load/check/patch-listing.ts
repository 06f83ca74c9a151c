import { isDeepStrictEqual } from 'node:util';
import { DELETED_COLUMN, type ListingFile } from '../schema/file-columns.ts';
import { formatProblem, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { ListingDataFile } from '../source/find-files.ts';
import { type AppliedPatch, type CellRow, idKey, isDeleted, type ParsedRows, upcKey } from './parse-rows.ts';

/** A row of the listing after the patch. */
interface PatchedRow {
  readonly row: CellRow;
  /** Of the patch; undefined if the row of the table is kept. */
  readonly line: number | undefined;
}

/** The rows of the listing after the patch, each with its line; undefined for the rows of the table that are kept. */
interface PatchedRows {
  readonly rows: readonly CellRow[];
  readonly lines: readonly (number | undefined)[];
  readonly patch: AppliedPatch;
}

/**
 * Applies a patch to its listing. Each row replaces the listed row with its id as a whole, is added if there is none, or removes it. A replaced row keeps
 * its place, so that a patch that is loaded twice in a row changes nothing the second time.
 * @param parsed the rows of the patch, each checked separately
 * @param listed the rows of the table
 */
export function patchListing(
  { listing, name: file }: ListingDataFile,
  parsed: ParsedRows,
  listed: readonly object[],
  problems: Problems,
): PatchedRows {
  const listedRows = listed as readonly CellRow[]; // every row is cells by column
  const rows = new Map<Cell | symbol, PatchedRow>(
    listedRows.map((row) => [idKey(listing, row)?.key ?? Symbol(), { row, line: undefined }]),
  );
  const deletedLines = new Map<Cell, number>();
  const notListed: string[] = [];
  let [added, replaced, removed] = [0, 0, 0];
  for (const [index, parsedRow] of parsed.rows.entries()) {
    const { [DELETED_COLUMN.name]: _, ...row } = parsedRow;
    const line = parsed.lines[index] ?? 0;
    const id = idKey(listing, row);
    const key = id?.key ?? Symbol(); // a row without an id is a problem already; it is kept for the other checks
    const before = rows.get(key)?.row;
    if (id !== undefined && isDeleted(parsedRow)) {
      deletedLines.set(id.key, line);
      if (rows.delete(key)) removed++;
      else {
        const reason = `${id.text ?? id.key} is not among the ${listing}`;
        notListed.push(formatProblem({ file, line, field: id.field, reason }));
      }
    } else {
      if (before === undefined) added++;
      else if (!isDeepStrictEqual(before, row)) replaced++;
      rows.set(key, { row, line });
    }
  }
  const after = [...rows.values()];
  checkKept(listing, file, after, problems);
  const [first] = notListed;
  const warnings = [
    ...(parsed.rows.length === 0 ? [`${file}: no rows, so ${listing} stay as they were`] : []),
    ...(removed > 0 && after.length === 0 ? [`${file}: removes all rows, so the listing ${listing} is empty now`] : []),
    ...(first === undefined
      ? []
      : [`${first}; ${notListed.length} of ${deletedLines.size} deleted rows are not listed`]),
  ];
  return {
    rows: after.map(({ row }) => row),
    lines: after.map(({ line }) => line),
    patch: { added, replaced, removed, deletedLines, warnings },
  };
}

/** A product of the patch may not have the UPC of one of them. */
function checkKept(listing: ListingFile, file: string, rows: readonly PatchedRow[], problems: Problems): void {
  const patchedLines = new Map<Cell, number>();
  for (const { row, line } of rows) {
    const upc = upcKey(listing, row);
    if (line !== undefined && upc !== undefined) patchedLines.set(upc.key, line);
  }
  for (const { row } of rows.filter(({ line }) => line === undefined)) {
    const upc = upcKey(listing, row);
    const line = upc && patchedLines.get(upc.key);
    if (upc === undefined || line === undefined) continue;
    const { field } = upc;
    problems.add({ file, line, field, reason: `${row[field]} is already that of ${listing} ${row.id} in the table` });
  }
}
