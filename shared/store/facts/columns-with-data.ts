import { measuresOf } from '../../catalog/tables.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { columnsWithDataRef } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';
import type { ChangedPartition } from './loaded-days.ts';

const COLUMN = 'columns';

/** Advertisers (PLATFORM_ID: the market) in whose facts the same columns have ever had values, as `ChangedPartition.withData` names them. Few groups have many advertisers. */
type Group = readonly [columns: readonly string[], advertiserIds: readonly number[]];

/**
 * Reads one item for any number of advertisers; of 1,000 that have all columns it takes a read unit.
 * @returns the columns that have ever had values of one of the advertisers, and the measures of the market in their experiences
 */
export async function readColumnsWithData(
  table: Table,
  advertiserIds: readonly number[],
  snapshot: Snapshot,
): Promise<ReadonlySet<string>> {
  const groups = await readGroups(table, snapshot);
  const columnsOf = (ids: ReadonlySet<number>) =>
    new Set(groups.flatMap(([columns, members]) => (members.some((id) => ids.has(id)) ? columns : [])));
  const columns = columnsOf(new Set(advertiserIds));
  const experiences = new Set([...columns].map((column) => column.split('/')[0]));
  const ofMarket = [...experiences].flatMap((name) => measuresOf('market').map((measure) => `${name}/${measure}`));
  return columns.union(columnsOf(new Set([PLATFORM_ID])).intersection(new Set(ofMarket)));
}

/** Adds the columns that the changed partitions have values in. Call this at most once per load. */
export async function writeColumnsWithData(
  writer: CommitWriter,
  partitions: readonly ChangedPartition[],
): Promise<void> {
  const columnsOf = new Map<number, ReadonlySet<string>>();
  for (const [columns, ids] of await readGroups(writer.table, writer.state))
    for (const id of ids) columnsOf.set(id, new Set(columns));
  for (const { ref, withData } of partitions)
    columnsOf.set(ref.advertiserId, new Set(columnsOf.get(ref.advertiserId)).union(new Set(withData)));
  const byColumns = Map.groupBy(columnsOf.keys(), (id) => [...(columnsOf.get(id) ?? [])].sort().join());
  const groups: Group[] = [...byColumns]
    .sort(([a], [b]) => (a < b ? -1 : 1)) // partitions are closed in any order
    .map(([columns, ids]) => [columns.split(','), ids.sort((a, b) => a - b)]);
  const columns = new Map([[COLUMN, compressJson(groups)]]);
  await writeEncodedTable(writer, columnsWithDataRef, { rows: groups.length, columns });
}

async function readGroups(table: Table, snapshot: Snapshot): Promise<readonly Group[]> {
  const [stored] = await readEncodedTables(table, [columnsWithDataRef], snapshot);
  const bytes = stored?.columns.get(COLUMN);
  const groups: unknown = bytes === undefined ? [] : decompressJson(bytes, 'the columns with data');
  if (!Array.isArray(groups)) throw new Error('the columns with data are not a list');
  return groups.map(([columns, ids]: unknown[][]) => [(columns ?? []).map(String), (ids ?? []).map(Number)]);
}
