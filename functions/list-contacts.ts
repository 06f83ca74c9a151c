import { Contact, listContactsInput } from '../shared/contract/resources/contact.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import type { Caller } from '../shared/identity/identity.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { type ListingPage, readListingPage } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { contactsOfAccount } from '../shared/store/table/item-keys.ts';

const platform = openPlatform();
const views = new Views(platform.table, platform.commits);

/** GET /metadata/contacts: the contacts of one of the caller's accounts, as of the caller's view. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listContactsInput,
  item: Contact,
  handle: async (request) => {
    const { context, input, table } = request;
    const caller = await requireAccount(request, input.query.account_id);
    const state = views.stateOf(caller.userId, table);
    const page = await readListingPage(table, contactsOfAccount(input.query.account_id), input.query, state);
    const items = page.items.map((item) => hideForeignAccounts(item, caller));
    return pageResponse(context.path, input.query, METADATA_PAGING, { items, total: page.total });
  },
});

/** Removes the contact's accounts that are not the caller's. */
function hideForeignAccounts(contact: ListingPage['items'][number], caller: Caller) {
  const accountIds = Array.isArray(contact.accountIds) ? contact.accountIds : [];
  return { ...contact, accountIds: accountIds.filter((id) => caller.accountIds.has(id)) };
}
