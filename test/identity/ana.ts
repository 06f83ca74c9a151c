import type { Callers } from '../../shared/identity/callers.ts';
import { beginCommit } from '../../shared/store/commit/commits.ts';
import { writeUsers } from '../../shared/store/listings/users.ts';
import type { Table } from '../../shared/store/table/table.ts';

/** Loads Ana, with these accounts, as the only user. */
export async function loadAna(table: Table, accountIds: readonly number[]): Promise<void> {
  const writer = await beginCommit(table, { owner: 'the test' });
  await writeUsers(writer, [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds }]);
  await writer.finish();
}

/** @returns user id and accounts of the key's user, or why the key is rejected */
export async function findUser(callers: Callers, table: Table, key: string): Promise<unknown> {
  const found = await callers.find(key, table);
  return 'reason' in found ? found.reason : [found.caller.userId, ...found.caller.accountIds];
}
