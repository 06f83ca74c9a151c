import type { EncodedTable } from '../../layout/partitions.ts';
import type { CacheBudget } from '../../lib/lru-cache.ts';
import { CommitCache } from '../commit/commit-cache.ts';
import type { CommitState, CommitWriter } from '../commit/commits.ts';
import { readEncodedTables, writeEncodedTable } from '../commit/encoded-tables.ts';
import { compressJson, decompressJson } from '../table/compress.ts';
import { accountAdvertisersRef } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

const COLUMN = 'advertiser_id';

/** Caches the advertisers of accounts across requests. */
export class AdvertiserCache extends CommitCache<readonly number[]> {
  constructor(budget?: CacheBudget) {
    super({ budget, of: ['listings'] });
  }
}

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

/**
 * A few calls read hundreds of accounts.
 * @returns the distinct advertisers of the accounts, ascending
 * @throws ApiError STORE_INCONSISTENT if part of a list is missing; Error if one is damaged
 */
export async function readAdvertisersOfAccounts(
  table: Table,
  accountIds: readonly number[],
  state: CommitState,
  cache = new AdvertiserCache(),
): Promise<readonly number[]> {
  const lists = await cache.read(state, accountIds, String, async (ids) => {
    const tables = await readEncodedTables(table, ids.map(accountAdvertisersRef), state);
    return tables.map(idsOf);
  });
  return [...new Set(lists.flatMap((ids) => ids ?? []))].sort((a, b) => a - b);
}

function idsOf(table: EncodedTable | undefined): number[] {
  const bytes = table?.columns.get(COLUMN);
  const ids: unknown = bytes === undefined ? [] : decompressJson(bytes, 'the list of an account’s advertisers');
  if (!Array.isArray(ids)) throw new Error('the advertisers of an account are not a list');
  return ids.map(Number);
}
