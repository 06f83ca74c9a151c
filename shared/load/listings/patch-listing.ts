import { CUSTOM_LISTINGS, customListingColumns, isCustom } from '../../catalog/custom-fields.ts';
import { CASCADE_COLUMN, DELETED_COLUMN, type ListingFile } from '../schema/file-columns.ts';
import { formatProblem, type Problems } from '../schema/problems.ts';
import type { Cell } from '../schema/value-types.ts';
import type { RowFiles } from '../source/find-files.ts';
import { keepDelisted, withoutNames } from './keep-delisted.ts';
import { isKnown, isListed } from './known-network.ts';
import { type CellRow, idKey, isDeleted, type ParsedRows, type Place, upcKey } from './parse-rows.ts';

/** @returns what the stored row has of custom fields that are not declared: patches keep it, as all that they do not mention */
function undeclaredCells(row: CellRow = {}): CellRow {
  const declared = new Set<string>(
    CUSTOM_LISTINGS.flatMap((of) => customListingColumns(of).map(({ stored }) => stored)),
  );
  return Object.fromEntries(Object.entries(row).filter(([name]) => isCustom(name) && !declared.has(name)));
}

/**
 * Applies a patch to its listing. Each row replaces the listed row with its id, is added if there is none, or removes it. A replaced row keeps
 * its place, so that a patch that is loaded twice in a row changes nothing the second time.
 * @param parsed the rows of the patch, each checked separately, with the values that they keep
 * @param stored the rows of the table, delisted ones among them
 * @returns the rows of the listing after the patch, each with its place; undefined for the rows of the table that are kept
 */
export function patchListing(
  { holds: listing, name: file }: RowFiles<ListingFile>,
  parsed: ParsedRows,
  stored: readonly CellRow[],
  problems: Problems,
) {
  const rows = new Map<Cell | symbol, CellRow>(stored.map((row) => [idKey(listing, row)?.key ?? Symbol(), row]));
  const placeOf = new Map<CellRow, Place>();
  const deleted = new Map<Cell, Place>();
  const cascades = new Set<number>();
  const notListed: string[] = [];
  let removed = 0;
  for (const [index, parsedRow] of parsed.rows.entries()) {
    const { [DELETED_COLUMN.name]: _, [CASCADE_COLUMN.name]: isCascading, ...row } = parsedRow;
    const place = parsed.places[index];
    if (place === undefined) continue;
    const id = idKey(listing, row);
    const key = id?.key ?? Symbol(); // a row without an id is a problem already; it is kept for the other checks
    const before = rows.get(key);
    if (id !== undefined && isDeleted(parsedRow)) {
      deleted.set(id.key, place);
      if (isCascading === true) cascades.add(Number(id.key));
      const ids = before && isCascading !== true ? withoutNames(listing, before) : undefined;
      if (ids === undefined) rows.delete(key);
      else rows.set(key, ids);
      if (before !== undefined && (isKnown(before) || isCascading === true)) removed++;
      else {
        const reason = `${id.text ?? id.key} is not among the ${listing}`;
        notListed.push(formatProblem({ ...place, field: id.field, reason }));
      }
    } else {
      const patched = { ...undeclaredCells(rows.get(key)), ...row };
      rows.set(key, patched);
      placeOf.set(patched, place);
    }
  }
  const after = keepDelisted(listing, [...rows.values()]);
  checkKept(listing, after.filter(isListed), placeOf, problems);
  const [first] = notListed;
  const warnings = [
    ...(parsed.rows.length === 0 ? [`${file}: no rows, so ${listing} stay as they were`] : []),
    ...(removed > 0 && !after.some(isListed)
      ? [`${file}: removes all rows, so the listing ${listing} is empty now`]
      : []),
    ...(first === undefined ? [] : [`${first}; ${notListed.length} of ${deleted.size} deleted rows are not listed`]),
  ];
  return {
    rows: after,
    places: after.map((row) => placeOf.get(row)),
    patch: { deleted, cascades, warnings },
  };
}

/** A product of the patch may not have the UPC of a listed one. */
function checkKept(
  listing: ListingFile,
  rows: readonly CellRow[],
  placeOf: ReadonlyMap<CellRow, Place>,
  problems: Problems,
): void {
  const patched = new Map([...placeOf].map(([row, place]) => [upcKey(listing, row)?.key, place]));
  for (const row of rows) {
    const upc = placeOf.has(row) ? undefined : upcKey(listing, row);
    const place = upc && patched.get(upc.key);
    if (upc === undefined || place === undefined) continue;
    const { field } = upc;
    problems.add({ ...place, field, reason: `${row[field]} is already that of ${listing} ${row.id} in the table` });
  }
}
