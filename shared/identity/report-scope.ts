import { ApiError } from '../lib/errors.ts';
import type { CommitState } from '../store/commit/commits.ts';
import { readAdvertisersOfAccounts } from '../store/listings/account-advertisers.ts';
import type { Table } from '../store/table/client.ts';
import type { Caller } from './identity.ts';

/** What a report may show: the caller's accounts, and which of their advertisers it covers, ascending. */
export interface Scope {
  readonly accountIds: ReadonlySet<number>;
  readonly advertiserIds: readonly number[];
}

/**
 * @param caller as of `state`
 * @param requested the request's `advertiserIds`; none = all of the caller's
 * @throws ApiError 403 that points at every id which is not one of the caller's, whether it exists or not
 */
export async function resolveScope(
  table: Table,
  state: CommitState,
  { accountIds }: Caller,
  requested: readonly number[],
): Promise<Scope> {
  const advertiserIds = await readAdvertisersOfAccounts(table, [...accountIds], state);
  return narrow({ accountIds, advertiserIds }, requested);
}

function narrow(owned: Scope, requested: readonly number[]): Scope {
  if (requested.length === 0) return owned;
  const own = new Set(owned.advertiserIds);
  const foreign = requested.flatMap((id, index) => (own.has(id) ? [] : [index]));
  if (foreign.length > 0) throw refuse(foreign);
  return { ...owned, advertiserIds: [...new Set(requested)].sort((a, b) => a - b) };
}

function refuse(indexes: readonly number[]): ApiError {
  const detail = 'Must be the id of one of your advertisers; GET /metadata/advertisers lists them by account.';
  const which = indexes.length === 1 ? 'One advertiser is not one' : `${indexes.length} advertisers are none`;
  return new ApiError('ADVERTISER_FORBIDDEN', `${which} of yours; see errors.`, {
    fields: indexes.map((index) => ({ in: 'body', pointer: `/advertiserIds/${index}`, code: 'NOT_YOURS', detail })),
  });
}
