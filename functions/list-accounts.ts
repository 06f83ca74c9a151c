import { Account, listAccountsInput } from '../shared/contract/resources/account.ts';
import { METADATA_PAGING, type Page } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse, slicePage } from '../shared/http/page-response.ts';
import type { Caller, CommitState } from '../shared/identity/identity.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import {
  type ListingPage,
  readListingItemsAt,
  readListingPage,
  readListingVersions,
  readWholeListing,
} from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { accountsOfUser } from '../shared/store/table/item-keys.ts';
import type { Table } from '../shared/store/table/table.ts';

const platform = openPlatform();
const views = new Views(platform.table, platform.commits);

/** GET /metadata/accounts: the caller's accounts. It also advances the caller's view of contacts and addresses to the current commit. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listAccountsInput,
  item: Account,
  handle: async ({ caller, input: { query }, table, context }) => {
    const state = platform.commits.current(table);
    const found = await readAccounts(table, caller, query, state);
    await views.advance(caller.userId, await state, table);
    return pageResponse(context.path, query, METADATA_PAGING, found);
  },
});

/**
 * Accounts are read by their keys only if the whole listing has more than this many per account of the page. A key costs half a read unit, which reads 4 KB of the
 * listing, some 30 accounts.
 */
const MIN_ACCOUNTS_PER_KEY = 100;

/** Reads one page. If the key is limited to some of the user's accounts, only these count for offset and total, so their places in the listing are not a range. */
async function readAccounts(
  table: Table,
  caller: Caller,
  page: Page,
  state: Promise<CommitState>,
): Promise<ListingPage> {
  const listing = accountsOfUser(caller.userId);
  const { keyAccountIds } = caller;
  if (keyAccountIds === undefined) return readListingPage(table, listing, page, state);
  const found = await readAccountsById(table, caller, page, await state);
  if (found !== undefined) return found;
  const allowed = new Set<unknown>(keyAccountIds);
  const accounts = (await readWholeListing(table, listing, await state)).filter(({ id }) => allowed.has(id));
  return slicePage(accounts, page);
}

/**
 * @returns undefined if the listing is too short for this, if an item is missing, or if the caller is not as of `state`: its accounts, ascending, have the places
 * of the listing only at the same commit
 */
async function readAccountsById(
  table: Table,
  { userId, accountIds, userAccountIds = [], commit }: Caller,
  { offset, size }: Page,
  state: CommitState,
): Promise<ListingPage | undefined> {
  const ids = [...accountIds].slice(offset, offset + size);
  if (commit !== state.commit || userAccountIds.length <= ids.length * MIN_ACCOUNTS_PER_KEY) return undefined;
  const wanted = new Set(ids);
  const ordinals = userAccountIds.flatMap((id, ordinal) => (wanted.has(id) ? [ordinal] : []));
  const listing = accountsOfUser(userId);
  const [version] = await readListingVersions(table, [listing], state);
  const items = version === undefined ? [] : await readListingItemsAt(table, listing, version, ordinals);
  return items.length === ids.length && items.every(({ id }, index) => id === ids[index])
    ? { items, total: accountIds.size }
    : undefined;
}
