import { listAdvertisersInput } from '../shared/contract/resources/advertiser.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import type { Caller } from '../shared/identity/identity.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { type ListedItem, readListingPage } from '../shared/store/listings/listings.ts';
import { advertisersOfAccount } from '../shared/store/table/keys.ts';

const platform = openPlatform();

/** GET /metadata/advertisers: the advertisers of one of the caller's accounts. */
export const handler = endpoint(platform, {
  input: listAdvertisersInput,
  handle: async (request) => {
    const { context, input, table } = request;
    const caller = await requireAccount(request, input.query.account_id);
    const listing = advertisersOfAccount(input.query.account_id);
    const page = await readListingPage(table, listing, input.query, platform.commits);
    const items = page.items.map((item) => hideForeignAccount(item, caller));
    return pageResponse(context.path, input.query, METADATA_PAGING, { items, total: page.total });
  },
});

/** Removes the advertiser's primary account if it is not the caller's. */
function hideForeignAccount(advertiser: ListedItem, caller: Caller): ListedItem {
  const { accountId } = advertiser;
  return typeof accountId === 'number' && caller.accountIds.has(accountId)
    ? advertiser
    : { ...advertiser, accountId: undefined };
}
