import { listAdvertisers } from '../shared/contract/resources/advertiser.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { listingOfAccount } from '../shared/store/table/item-keys.ts';

/** GET /metadata/advertisers: the advertisers of one of the caller's accounts. */
export const create = (platform: Platform): ApiHandler =>
  listing(platform, listAdvertisers, async ({ input, table }, page) => {
    const accountId = input.query.account_id;
    const { items, total } = await readListingPage(
      table,
      listingOfAccount('advertisers', accountId),
      page,
      platform.commits,
    );
    // an advertiser may belong to accounts of other users, so an item names only the account of the request
    return { items: items.map((item) => ({ ...item, accountId })), total };
  });

export const handler = /* @__PURE__ */ create(/* @__PURE__ */ openPlatform());
