import type { EncodedTable } from '../../catalog/partitions.ts';
import { readColumnSets, writeColumnSet } from '../commit/column-sets.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import type { Table } from '../table/client.ts';
import { accountAdvertisersRef } from '../table/keys.ts';
import { deflateJson, inflateJson } from '../table/zstd.ts';

const COLUMN = 'advertiser_id';

/** Replaces the advertisers that the account owns; none removes the list. */
export function writeAccountAdvertisers(
  writer: CommitWriter,
  accountId: number,
  advertiserIds: readonly number[],
): Promise<'unchanged' | 'written'> {
  const sorted = [...new Set(advertiserIds)].sort((a, b) => a - b);
  const bytes = deflateJson(sorted);
  return writeColumnSet(writer, accountAdvertisersRef(accountId), {
    rows: sorted.length,
    columns: new Map([[COLUMN, bytes]]),
  });
}

/** @returns the advertisers of any of the accounts, ascending, each once. Hundreds of accounts are a handful of calls. */
export async function readAdvertisersOfAccounts(
  table: Table,
  accountIds: readonly number[],
  snapshot: Snapshot,
): Promise<readonly number[]> {
  const sets = await readColumnSets(table, accountIds.map(accountAdvertisersRef), snapshot);
  return [...new Set(sets.flatMap(idsOf))].sort((a, b) => a - b);
}

function idsOf(set: EncodedTable | undefined): number[] {
  const bytes = set?.columns.get(COLUMN);
  const ids: unknown = bytes === undefined ? [] : inflateJson(bytes);
  if (!Array.isArray(ids)) throw new Error('the list of an account’s advertisers is not readable');
  return ids.map(Number);
}
