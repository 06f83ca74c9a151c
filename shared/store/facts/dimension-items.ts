import type { DimensionTable } from '../../catalog/definitions.ts';
import type { EncodedTable, StoredTable } from '../../layout/partitions.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { dimensionRef } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

/**
 * Replaces a dimension table, which reports join facts with; one without rows is removed.
 * @param advertiserId `PLATFORM_ID` for the tables of the platform
 * @returns whether the table has changed
 */
export function writeDimensionTable(
  writer: CommitWriter,
  table: DimensionTable,
  advertiserId: number,
  encoded: EncodedTable,
): Promise<'unchanged' | 'written'> {
  return writeEncodedTable(writer, dimensionRef(table, advertiserId), encoded);
}

/**
 * @param columns the columns to read; absent = all. Columns that a table lacks are absent from the result.
 * @returns the dimension tables that exist, by advertiser id
 * @throws ApiError STORE_INCONSISTENT if part of a column is missing; Error if a chunk is damaged
 */
export async function readDimensionTables(
  store: Table,
  table: DimensionTable,
  advertiserIds: readonly number[],
  snapshot: Snapshot,
  columns?: readonly string[],
): Promise<ReadonlyMap<number, StoredTable>> {
  const refs = advertiserIds.map((id) => dimensionRef(table, id));
  const tables = await readEncodedTables(store, refs, snapshot, columns);
  const found = new Map<number, StoredTable>();
  for (const [index, id] of advertiserIds.entries()) {
    const encoded = tables[index];
    if (encoded !== undefined) found.set(id, encoded);
  }
  return found;
}
