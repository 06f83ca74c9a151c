import { listAccounts } from '../shared/contract/resources/account.ts';
import type { ApiHandler } from '../shared/http/endpoint.ts';
import { listing } from '../shared/http/listing.ts';
import { readOwnAccounts } from '../shared/identity/own-accounts.ts';
import { openPlatform, type Platform } from '../shared/identity/platform.ts';
import { Views } from '../shared/store/listings/views.ts';

/** GET /metadata/accounts: the caller's accounts. It also advances the caller's view of contacts and addresses to the current commit. */
export function create(platform: Platform): ApiHandler {
  const views = new Views(platform.table, platform.commits);
  return listing(platform, listAccounts, async ({ caller, table }, page) => {
    const state = platform.commits.current(table);
    const accounts = await readOwnAccounts(table, caller, page, state);
    await views.advance(caller.userId, await state, table);
    return accounts;
  });
}

export const handler = create(openPlatform());
