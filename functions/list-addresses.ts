import { listAddresses } from '../shared/contract/resources/address.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { addressesOfAccount } from '../shared/store/table/item-keys.ts';

/** GET /metadata/addresses: the addresses of one of the caller's accounts, as of the caller's view. CPG users get CPG addresses only. */
export function create(platform: Platform): ApiHandler {
  const views = new Views(platform.table, platform.commits);
  return listing(platform, listAddresses, ({ caller: { userId, userType }, input: { query }, table }, page) => {
    const addresses = addressesOfAccount(query.account_id, userType === 'CPG' ? 'CPG' : 'ALL');
    return readListingPage(table, addresses, page, views.stateOf(userId, table));
  });
}

export const handler = create(openPlatform());
