import { listContacts } from '../shared/contract/resources/contact.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import type { Caller } from '../shared/identity/identity.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { type ListingPage, readListingPage } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { listingOfAccount } from '../shared/store/table/item-keys.ts';

/** GET /metadata/contacts: the contacts of one of the caller's accounts, as of the caller's view. */
export function create(platform: Platform): ApiHandler {
  const views = new Views(platform.table, platform.commits);
  return listing(platform, listContacts, async ({ caller, input: { query }, table }, page) => {
    const contacts = listingOfAccount('contacts', query.account_id);
    const { items, total } = await readListingPage(table, contacts, page, views.stateOf(caller.userId, table));
    return { items: items.map((item) => hideForeignAccounts(item, caller)), total };
  });
}

export const handler = create(openPlatform());

/** Removes the contact's accounts that are not the caller's. */
function hideForeignAccounts(contact: ListingPage['items'][number], caller: Caller) {
  const accountIds = Array.isArray(contact.accountIds) ? contact.accountIds : [];
  return { ...contact, accountIds: accountIds.filter((id) => caller.accountIds.has(id)) };
}
