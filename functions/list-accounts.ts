import { Account, listAccountsInput } from '../shared/contract/resources/account.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse, slicePage } from '../shared/http/page-response.ts';
import type { Caller, CommitState } from '../shared/identity/identity.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { type ListingPage, readListingPage, readWholeListing } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import type { Table } from '../shared/store/table/client.ts';
import { accountsOfUser } from '../shared/store/table/keys.ts';

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

/** Reads one page; if the key is limited to some of the user's accounts, reads the whole listing, because only these accounts count for offset and total. */
async function readAccounts(
  table: Table,
  { userId, keyAccountIds }: Caller,
  page: { readonly offset: number; readonly size: number },
  state: Promise<CommitState>,
): Promise<ListingPage> {
  if (keyAccountIds === undefined) return readListingPage(table, accountsOfUser(userId), page, state);
  const allowed = new Set<unknown>(keyAccountIds);
  const accounts = (await readWholeListing(table, accountsOfUser(userId), await state)).filter(({ id }) =>
    allowed.has(id),
  );
  return slicePage(accounts, page);
}
