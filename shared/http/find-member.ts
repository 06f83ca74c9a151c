import type { Caller } from '../identity/identity.ts';

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
