import { listAdvertisersInput } from '../shared/contract/resources/advertiser.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import type { Caller } from '../shared/identity/identity.ts';
import { openPlatform, tableOf } from '../shared/identity/platform.ts';
import { type ListedItem, readListingPage } from '../shared/store/listings/listings.ts';
import { advertisersOfAccount } from '../shared/store/table/keys.ts';

const platform = openPlatform();

/** GET /metadata/advertisers: the advertisers of one of the caller's accounts. */
export const handler = endpoint(platform.identity, {
  input: listAdvertisersInput,
  handle: async (request) => {
    const { context, input } = request;
    const caller = await requireAccount(request, input.query.account_id);
    const listing = advertisersOfAccount(input.query.account_id);
    const page = await readListingPage(tableOf(platform, context), listing, input.query, platform.commits);
    const items = page.items.map((item) => cutAccount(item, caller));
    return pageResponse(context.path, input.query, METADATA_PAGING, { items, total: page.total });
  },
});

/** The advertiser's primary account may be another's, which the caller must not learn of. */
function cutAccount(advertiser: ListedItem, caller: Caller): ListedItem {
  const { accountId } = advertiser;
  return typeof accountId === 'number' && caller.accountIds.has(accountId)
    ? advertiser
    : { ...advertiser, accountId: undefined };
}
