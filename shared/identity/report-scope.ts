import { ALL_ACCOUNTS } from '../layout/partitions.ts';
import { ApiError } from '../lib/errors.ts';
import type { CommitState } from '../store/commit/commits.ts';
import { type AdvertiserCache, readAdvertisersOfAccounts } from '../store/listings/account-advertisers.ts';
import type { Table } from '../store/table/table.ts';
import type { Caller } from './identity.ts';

/**
 * @returns what a report may show: the caller's accounts; the advertisers that the report covers, ascending; and all advertisers of the user, also in accounts that
 * the key must not see
 * @param caller as of `state` or a later commit
 * @param requested the request's `advertiserIds`; [] = all advertisers of the caller
 * @throws ApiError ADVERTISER_FORBIDDEN with one field per id that is not the caller's, whether or not it exists
 */
export async function resolveReportScope(
  table: Table,
  state: CommitState,
  caller: Caller,
  requested: readonly number[],
  cache?: AdvertiserCache,
) {
  const { accountIds, keyAccountIds, userAccountIds = [...accountIds], seesAll } = caller;
  const ofUser = seesAll ? [ALL_ACCOUNTS] : userAccountIds;
  const ownAdvertiserIds = await readAdvertisersOfAccounts(table, ofUser, state, cache);
  const visible = keyAccountIds ? await readVisibleAdvertisers(table, state, caller, cache) : ownAdvertiserIds;
  if (requested.length === 0) return { accountIds, advertiserIds: visible, ownAdvertiserIds };
  const visibleIds = new Set(visible);
  const foreign = requested.flatMap((id, index) => (visibleIds.has(id) ? [] : [index]));
  if (foreign.length > 0) throw forbidden(foreign);
  const advertiserIds = [...new Set(requested)].sort((a, b) => a - b);
  return { accountIds, advertiserIds, ownAdvertiserIds };
}

/** @returns the advertisers of the accounts that the key sees, ascending; no others are read */
export function readVisibleAdvertisers(
  table: Table,
  state: CommitState,
  { accountIds, keyAccountIds, seesAll }: Caller,
  cache?: AdvertiserCache,
): Promise<readonly number[]> {
  const ids = seesAll && keyAccountIds === undefined ? [ALL_ACCOUNTS] : [...accountIds];
  return readAdvertisersOfAccounts(table, ids, state, cache);
}

function forbidden(indexes: readonly number[]): ApiError {
  const detail = 'Must be the id of one of your advertisers; GET /metadata/advertisers lists them by account.';
  const which = indexes.length === 1 ? 'One advertiser is' : `${indexes.length} advertisers are`;
  return new ApiError('ADVERTISER_FORBIDDEN', `${which} not yours; see errors.`, {
    fields: indexes.map((index) => ({ in: 'body', pointer: `/advertiserIds/${index}`, code: 'NOT_YOURS', detail })),
  });
}
