import { DELETED_COLUMN, type ListingFile } from '../schema/file-columns.ts';
import { formatProblem, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { RowFiles } from '../source/find-files.ts';
import {
  type AppliedPatch,
  type CellRow,
  idKey,
  isDeleted,
  type ParsedRows,
  type Place,
  upcKey,
} from './parse-rows.ts';

/** A row of the listing after the patch. */
interface PatchedRow {
  readonly row: CellRow;
  /** In the patch; undefined if the row of the table is kept. */
  readonly place: Place | undefined;
}

/** The rows of the listing after the patch, each with its place; undefined for the rows of the table that are kept. */
interface PatchedRows {
  readonly rows: readonly CellRow[];
  readonly places: readonly (Place | undefined)[];
  readonly patch: AppliedPatch;
}

/**
 * Applies a patch to its listing. Each row replaces the listed row with its id as a whole, is added if there is none, or removes it. A replaced row keeps
 * its place, so that a patch that is loaded twice in a row changes nothing the second time.
 * @param parsed the rows of the patch, each checked separately
 * @param listed the rows of the table
 */
export function patchListing(
  { holds: listing, name: file }: RowFiles<ListingFile>,
  parsed: ParsedRows,
  listed: readonly object[],
  problems: Problems,
): PatchedRows {
  const listedRows = listed as readonly CellRow[]; // every row is cells by column
  const rows = new Map<Cell | symbol, PatchedRow>(
    listedRows.map((row) => [idKey(listing, row)?.key ?? Symbol(), { row, place: undefined }]),
  );
  const deleted = new Map<Cell, Place>();
  const notListed: string[] = [];
  let removed = 0;
  for (const [index, parsedRow] of parsed.rows.entries()) {
    const { [DELETED_COLUMN.name]: _, ...row } = parsedRow;
    const place = parsed.places[index];
    if (place === undefined) continue;
    const id = idKey(listing, row);
    const key = id?.key ?? Symbol(); // a row without an id is a problem already; it is kept for the other checks
    if (id !== undefined && isDeleted(parsedRow)) {
      deleted.set(id.key, place);
      if (rows.delete(key)) removed++;
      else {
        const reason = `${id.text ?? id.key} is not among the ${listing}`;
        notListed.push(formatProblem({ ...place, field: id.field, reason }));
      }
    } else {
      rows.set(key, { row, place });
    }
  }
  const after = [...rows.values()];
  checkKept(listing, after, problems);
  const [first] = notListed;
  const warnings = [
    ...(parsed.rows.length === 0 ? [`${file}: no rows, so ${listing} stay as they were`] : []),
    ...(removed > 0 && after.length === 0 ? [`${file}: removes all rows, so the listing ${listing} is empty now`] : []),
    ...(first === undefined ? [] : [`${first}; ${notListed.length} of ${deleted.size} deleted rows are not listed`]),
  ];
  return {
    rows: after.map(({ row }) => row),
    places: after.map(({ place }) => place),
    patch: { deleted, warnings },
  };
}

/** A product of the patch may not have the UPC of one of them. */
function checkKept(listing: ListingFile, rows: readonly PatchedRow[], problems: Problems): void {
  const patched = new Map<Cell, Place>();
  for (const { row, place } of rows) {
    const upc = upcKey(listing, row);
    if (place !== undefined && upc !== undefined) patched.set(upc.key, place);
  }
  for (const { row } of rows.filter(({ place }) => place === undefined)) {
    const upc = upcKey(listing, row);
    const place = upc && patched.get(upc.key);
    if (upc === undefined || place === undefined) continue;
    const { field } = upc;
    problems.add({ ...place, field, reason: `${row[field]} is already that of ${listing} ${row.id} in the table` });
  }
}
