import { Advertiser, listAdvertisersInput } from '../shared/contract/resources/advertiser.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { advertisersOfAccount } from '../shared/store/table/item-keys.ts';

const platform = openPlatform();

/** GET /metadata/advertisers: the advertisers of one of the caller's accounts. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listAdvertisersInput,
  item: Advertiser,
  handle: async (request) => {
    const { context, input, table } = request;
    const accountId = input.query.account_id;
    await requireAccount(request, accountId);
    const page = await readListingPage(table, advertisersOfAccount(accountId), input.query, platform.commits);
    // an advertiser may belong to accounts of other users, so an item names only the account of the request
    const items = page.items.map((item) => ({ ...item, accountId }));
    return pageResponse(context.path, input.query, METADATA_PAGING, { items, total: page.total });
  },
});
