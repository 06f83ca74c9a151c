import * as z from 'zod/mini';
import type { Caller, Identity } from '../identity/identity.ts';
import { withDeadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import type { ApiMiddleware } from './message/api-request.ts';

const NAME = 'account_id';

/** @returns whether requests name an account */
export const hasAccount = (query: z.ZodMiniType | undefined): boolean =>
  query instanceof z.ZodMiniObject && NAME in query.shape;

/** Rejects the request unless the account in its query is the caller's; the error is the same whether it exists or not. */
export const ownAccount = (identity: Identity): ApiMiddleware => ({
  before: async ({ context: { state } }) => {
    const { caller, input, meter, deadline } = state;
    if (caller === undefined) return;
    const accountId = Number(Object(input?.query)[NAME]);
    const refresh = () => identity.refreshCaller(caller, meter);
    const member = await withDeadline(deadline, findMember(caller, [accountId], refresh));
    if (member === undefined) throw accountForbidden();
    state.caller = member;
  },
});

function accountForbidden(): ApiError {
  const detail = 'Must be the id of one of your accounts; GET /metadata/accounts lists them.';
  return new ApiError('ACCOUNT_FORBIDDEN', 'The account is not yours. GET /metadata/accounts lists your accounts.', {
    fields: [{ in: 'query', pointer: NAME, code: 'NOT_YOURS', detail }],
  });
}

/**
 * @param refresh returns the caller as of the current commit, so that a new account is visible as soon as it is loaded
 * @returns the caller if it has one of the accounts, refreshed if it had none; else undefined
 */
export async function findMember(
  caller: Caller,
  accountIds: readonly number[],
  refresh: () => Promise<Caller>,
): Promise<Caller | undefined> {
  const isMember = (user: Caller) => accountIds.some((id) => user.accountIds.has(id));
  if (isMember(caller)) return caller;
  const refreshed = await refresh();
  return isMember(refreshed) ? refreshed : undefined;
}
