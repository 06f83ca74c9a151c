import type { Caller } from '../identity/identity.ts';
import { ApiError } from '../lib/errors.ts';
import type { EndpointRequest } from './endpoint.ts';

/**
 * @returns the caller that may see the account
 * @throws ApiError 403, the same for an account that is another's and one that is nobody's
 */
export async function requireAccount(request: EndpointRequest<unknown>, accountId: number): Promise<Caller> {
  const caller = await findMember(request, [accountId]);
  if (caller !== undefined) return caller;
  const detail = 'Must be the id of one of your accounts; GET /metadata/accounts lists them.';
  throw new ApiError(
    'ACCOUNT_FORBIDDEN',
    'The account is not one of yours. GET /metadata/accounts lists those that are.',
    {
      fields: [{ in: 'query', pointer: 'account_id', code: 'NOT_YOURS', detail }],
    },
  );
}

/**
 * @returns the caller if one of the accounts is its own, else undefined. Who is about to be refused is looked up anew, so that a new account counts
 * from its load on.
 */
export async function findMember(
  { caller, context }: EndpointRequest<unknown>,
  accountIds: readonly number[],
): Promise<Caller | undefined> {
  const isMember = (it: Caller) => accountIds.some((id) => it.accountIds.has(id));
  if (isMember(caller)) return caller;
  const now = await context.refreshCaller();
  return isMember(now) ? now : undefined;
}
