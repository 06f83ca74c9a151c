import { Address, listAddressesInput } from '../shared/contract/resources/address.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { addressesOfAccount } from '../shared/store/table/item-keys.ts';

const platform = openPlatform();
const views = new Views(platform.table, platform.commits);

/** GET /metadata/addresses: the addresses of one of the caller's accounts, as of the caller's view. CPG users get CPG addresses only. */
export const handler = endpoint(platform, {
  scope: 'metadata',
  input: listAddressesInput,
  item: Address,
  handle: async (request) => {
    const { context, input, table } = request;
    const caller = await requireAccount(request, input.query.account_id);
    const state = views.stateOf(caller.userId, table);
    const listing = addressesOfAccount(input.query.account_id, caller.userType === 'CPG' ? 'CPG' : 'ALL');
    const found = await readListingPage(table, listing, input.query, state);
    return pageResponse(context.path, input.query, METADATA_PAGING, found);
  },
});
