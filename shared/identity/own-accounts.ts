import type { CommitState } from '../store/commit/commits.ts';
import { type ListingPage, readListingPage, readWholeListing } from '../store/listings/listings.ts';
import { accountsOfUser } from '../store/table/item-keys.ts';
import type { Table } from '../store/table/table.ts';
import type { Caller } from './identity.ts';

/**
 * A key that is limited to some of the user's accounts selects them from the whole listing, in which their places are not a range.
 * @returns a page of the accounts that the key sees
 */
export async function readOwnAccounts(
  table: Table,
  { userId, keyAccountIds }: Caller,
  page: Parameters<typeof readListingPage>[2],
  state: Promise<CommitState>,
): Promise<ListingPage> {
  const listing = accountsOfUser(userId);
  if (keyAccountIds === undefined) return readListingPage(table, listing, page, state);
  const allowed = new Set<unknown>(keyAccountIds);
  const accounts = (await readWholeListing(table, listing, await state)).filter(({ id }) => allowed.has(id));
  return { items: accounts.slice(page.offset, page.offset + page.size), total: accounts.length };
}
