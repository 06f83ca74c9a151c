import { listAccountsInput } from '../shared/contract/resources/account.ts';
import { METADATA_PAGING } from '../shared/contract/resources/paging.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { pageResponse } from '../shared/http/page-response.ts';
import { openPlatform } from '../shared/identity/platform.ts';
import { readListingPage } from '../shared/store/listings/listings.ts';
import { Views } from '../shared/store/listings/views.ts';
import { accountsOfUser } from '../shared/store/table/keys.ts';

const platform = openPlatform();
const views = new Views(platform.table, platform.commits);

/** GET /metadata/accounts: the caller's accounts. It also advances the caller's view of contacts and addresses to the current commit. */
export const handler = endpoint(platform, {
  input: listAccountsInput,
  handle: async ({ caller, input: { query }, table, context }) => {
    const state = platform.commits.current(table);
    const found = await readListingPage(table, accountsOfUser(caller.userId), query, state);
    await views.advance(caller.userId, await state, table);
    return pageResponse(context.path, query, METADATA_PAGING, found);
  },
});
