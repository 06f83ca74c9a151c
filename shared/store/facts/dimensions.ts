import type { DimensionTable } from '../../catalog/definitions.ts';
import type { EncodedTable } from '../../catalog/partitions.ts';
import { readColumnSets, writeColumnSet } from '../commit/column-sets.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import type { Table } from '../table/client.ts';
import { dimensionRef } from '../table/keys.ts';

/**
 * Replaces a table that facts are joined with; one without rows is removed.
 * @param advertiserId 0 for the tables that belong to the platform
 */
export function writeDimensionTable(
  writer: CommitWriter,
  table: DimensionTable,
  advertiserId: number,
  encoded: EncodedTable,
): Promise<'unchanged' | 'written'> {
  return writeColumnSet(writer, dimensionRef(table, advertiserId), encoded);
}

/**
 * @param columns which ones; absent = all
 * @returns the joined table of each advertiser that has one
 */
export async function readDimensionTables(
  store: Table,
  table: DimensionTable,
  advertiserIds: readonly number[],
  snapshot: Snapshot,
  columns?: readonly string[],
): Promise<ReadonlyMap<number, EncodedTable>> {
  const refs = advertiserIds.map((id) => dimensionRef(table, id));
  const sets = await readColumnSets(store, refs, snapshot, columns);
  const found = new Map<number, EncodedTable>();
  for (const [index, id] of advertiserIds.entries()) {
    const set = sets[index];
    if (set !== undefined) found.set(id, set);
  }
  return found;
}
