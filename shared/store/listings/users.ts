import { ALL_ACCOUNTS } from '../../layout/partitions.ts';
import type { CommitWriter, Snapshot } from '../commit/commits.ts';
import { listEntries, readEntries, replaceEntries } from '../commit/entries.ts';
import { accountOfEntry, membershipEntry, profileEntry, userOfProfile, userRange } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

type UserType = 'AGENCY' | 'CPG';

/** A user and the accounts that the user may see. */
export interface User {
  readonly userId: string;
  readonly name: string;
  readonly userType: UserType;
  /** Ascending, without duplicates. */
  readonly accountIds: readonly number[];
  /** Whether they are all accounts, also later ones. */
  readonly seesAll?: boolean;
}

/** Replaces all users. Each has one entry for the profile and one per account, and one for ALL_ACCOUNTS if it sees all. */
export async function writeUsers(writer: CommitWriter, users: readonly User[]): Promise<void> {
  await replaceEntries(writer, 'users', entriesOf(users));
}

/**
 * Makes one query, and reads the commit if the snapshot requires it.
 * @returns the user with all accounts; undefined if the user does not exist
 * @throws Error if the profile is damaged
 */
export async function readUser(table: Table, userId: string, snapshot: Snapshot): Promise<User | undefined> {
  const entries = await readEntries(table, userRange(userId), snapshot);
  const profile = entries.get(profileEntry(userId).name);
  if (profile === undefined) return undefined;
  const { name, userType } = profile;
  if (typeof name !== 'string' || (userType !== 'AGENCY' && userType !== 'CPG')) {
    throw new Error(`the profile of the user ${userId} is invalid`);
  }
  const accountIds = [...entries.keys()].map(accountOfEntry).filter((id) => id !== undefined);
  const user: User = { userId, name, userType, accountIds };
  return accountIds[0] === ALL_ACCOUNTS ? { ...user, accountIds: accountIds.slice(1), seesAll: true } : user;
}

export async function listUserIds(table: Table, snapshot: Snapshot): Promise<string[]> {
  const entries = await listEntries(table, 'users', snapshot);
  return entries.map(userOfProfile).filter((id) => id !== undefined);
}

function* entriesOf(users: readonly User[]) {
  for (const { userId, name, userType, accountIds, seesAll } of users) {
    yield { ref: profileEntry(userId), value: { name, userType } };
    for (const id of seesAll ? [ALL_ACCOUNTS, ...accountIds] : accountIds)
      yield { ref: membershipEntry(userId, id), value: {} };
  }
}
