import type { EncodedTable } from '../../catalog/partitions.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import type { Table } from '../table/client.ts';
import { accountAdvertisersRef } from '../table/keys.ts';
import { compressJson, decompressJson } from '../table/zstd.ts';

const COLUMN = 'advertiser_id';

/** Replaces the list of advertisers that the account owns; an empty list is removed. @returns whether the list has changed */
export function writeAccountAdvertisers(
  writer: CommitWriter,
  accountId: number,
  advertiserIds: readonly number[],
): Promise<'unchanged' | 'written'> {
  const sorted = [...new Set(advertiserIds)].sort((a, b) => a - b);
  const bytes = compressJson(sorted);
  return writeEncodedTable(writer, accountAdvertisersRef(accountId), {
    rows: sorted.length,
    columns: new Map([[COLUMN, bytes]]),
  });
}

/** @returns the distinct advertisers of the accounts, ascending. A few calls read hundreds of accounts. */
export async function readAdvertisersOfAccounts(
  table: Table,
  accountIds: readonly number[],
  snapshot: Snapshot,
): Promise<readonly number[]> {
  const tables = await readEncodedTables(table, accountIds.map(accountAdvertisersRef), snapshot);
  return [...new Set(tables.flatMap(idsOf))].sort((a, b) => a - b);
}

function idsOf(table: EncodedTable | undefined): number[] {
  const bytes = table?.columns.get(COLUMN);
  const ids: unknown = bytes === undefined ? [] : decompressJson(bytes, 'the list of an account’s advertisers');
  if (!Array.isArray(ids)) throw new Error('the advertisers of an account are not a list');
  return ids.map(Number);
}
