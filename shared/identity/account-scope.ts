import { ApiError } from '../lib/errors.ts';
import type { CommitState } from '../store/commit/commits.ts';
import { readAdvertisersOfAccounts } from '../store/listings/account-advertisers.ts';
import type { Table } from '../store/table/table.ts';

/** The part of a query that restricts a listing of an account to one of its advertisers. */
interface AdvertiserFilter {
  readonly account_id: number;
  readonly advertiser_id?: number | undefined;
}

/**
 * @param filter its account is one of the caller's
 * @returns the advertisers of the account, ascending, or the requested one of them
 * @throws ApiError ADVERTISER_FORBIDDEN if the requested one is not the account's, whether or not it exists
 */
export async function resolveAdvertisers(
  table: Table,
  state: CommitState,
  { account_id: accountId, advertiser_id: requested }: AdvertiserFilter,
): Promise<readonly number[]> {
  const advertiserIds = await readAdvertisersOfAccounts(table, [accountId], state);
  if (requested === undefined) return advertiserIds;
  if (advertiserIds.includes(requested)) return [requested];
  const detail = 'Must be the id of one of the advertisers of the account; GET /metadata/advertisers lists them.';
  throw new ApiError('ADVERTISER_FORBIDDEN', 'The account has no such advertiser; see errors.', {
    fields: [{ in: 'query', pointer: 'advertiser_id', code: 'NOT_YOURS', detail }],
  });
}
