import type { Caller } from '../identity/identity.ts';
import { ApiError } from '../lib/errors.ts';
import type { EndpointRequest } from './endpoint.ts';

/**
 * @returns the caller, whose accounts include the given one
 * @throws ApiError ACCOUNT_FORBIDDEN, the same whether the account belongs to somebody else or does not exist
 */
export async function requireAccount(request: EndpointRequest<unknown>, accountId: number): Promise<Caller> {
  const caller = await findMember(request, [accountId]);
  if (caller !== undefined) return caller;
  const detail = 'Must be the id of one of your accounts; GET /metadata/accounts lists them.';
  throw new ApiError('ACCOUNT_FORBIDDEN', 'The account is not yours. GET /metadata/accounts lists your accounts.', {
    fields: [{ in: 'query', pointer: 'account_id', code: 'NOT_YOURS', detail }],
  });
}

/**
 * @returns the caller if it has one of the accounts, else undefined. Before undefined is returned, the caller is refreshed to the current commit, so that
 * a new account is visible as soon as it is loaded.
 */
export async function findMember(
  { caller, context }: EndpointRequest<unknown>,
  accountIds: readonly number[],
): Promise<Caller | undefined> {
  const isMember = (user: Caller) => accountIds.some((id) => user.accountIds.has(id));
  if (isMember(caller)) return caller;
  const refreshed = await context.refreshCaller();
  return isMember(refreshed) ? refreshed : undefined;
}
