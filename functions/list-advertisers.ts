import { listAdvertisersInput } from '../shared/contract/advertiser.ts';
import { METADATA_PAGING } from '../shared/contract/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { listAnswer } from '../shared/http/list-answer.ts';
import { requireAccount } from '../shared/http/require-account.ts';
import { openPlatform, tableOf } from '../shared/identity/platform.ts';
import { advertisersOfAccount } from '../shared/store/keys.ts';
import { readListingPage } from '../shared/store/listings.ts';

const platform = openPlatform();

/** GET /metadata/advertisers: the advertisers of one of the caller's accounts. */
export const handler = endpoint(platform.identity, {
  input: listAdvertisersInput,
  handle: async (request) => {
    const { context, input } = request;
    await requireAccount(request, input.query.account_id);
    const listing = advertisersOfAccount(input.query.account_id);
    const found = await readListingPage(tableOf(platform, context), listing, input.query, platform.commits);
    return listAnswer(context.path, input.query, METADATA_PAGING, found);
  },
});
