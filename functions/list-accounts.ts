import { listAccounts } from '../shared/contract/resources/account.ts';
import type { Page } from '../shared/contract/resources/listing.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import type { Caller, CommitState } from '../shared/identity/identity.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { type ListingPage, readListingPage, readWholeListing } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { accountsOfUser } from '../shared/store/table/item-keys.ts';
import type { Table } from '../shared/store/table/table.ts';

/** GET /metadata/accounts: the caller's accounts. It also advances the caller's view of contacts and addresses to the current commit. */
export function create(platform: Platform): ApiHandler {
  const views = new Views(platform.table, platform.commits);
  return listing(platform, listAccounts, async ({ caller, table }, page) => {
    const state = platform.commits.current(table);
    const accounts = await readAccounts(table, caller, page, state);
    await views.advance(caller.userId, await state, table);
    return accounts;
  });
}

export const handler = create(openPlatform());

/** A key that is limited to some of the user's accounts selects them from the whole listing, in which their places are not a range. */
async function readAccounts(
  table: Table,
  { userId, keyAccountIds }: Caller,
  page: Page,
  state: Promise<CommitState>,
): Promise<ListingPage> {
  const listing = accountsOfUser(userId);
  if (keyAccountIds === undefined) return readListingPage(table, listing, page, state);
  const allowed = new Set<unknown>(keyAccountIds);
  const accounts = (await readWholeListing(table, listing, await state)).filter(({ id }) => allowed.has(id));
  return { items: accounts.slice(page.offset, page.offset + page.size), total: accounts.length };
}
