import { EXPERIENCES, FACT_TABLES } from '../../../shared/catalog/tables.ts';
import { factColumns } from '../../../shared/load/schema/fact-columns.ts';
import {
  type ColumnSpec,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  listingColumns,
  patchColumns,
} from '../../../shared/load/schema/file-columns.ts';

/** @returns the columns of a load file. @param name its path in the folder, without the extension, such as `facts/pla/delivery` */
export function loadFileColumns(name: string): readonly ColumnSpec[] {
  const listing = LISTING_FILES.find((candidate) => candidate === name);
  if (listing !== undefined) return listingColumns(listing);
  const patched = LISTING_FILES.find((candidate) => `${candidate}.patch` === name);
  if (patched !== undefined) return patchColumns(patched);
  if (name === DELETIONS_FILE) return DELETION_COLUMNS;
  const table = FACT_TABLES.find((candidate) =>
    EXPERIENCES.some((experience) => name === `facts/${experience}/${candidate}`),
  );
  if (table === undefined) throw new Error(`${name} is not a load file`);
  return factColumns(table);
}
