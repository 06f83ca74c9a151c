import { createHash } from 'node:crypto';
import type { CommitState } from './commit/commits.ts';
import { USER_ID_KEY } from './table/item-keys.ts';
import type { Table } from './table/table.ts';

/** @returns the secret key with which shopper ids are hashed, 16 bytes; the same at every call. It is kept outside of the table. */
export type UserIdKeySource = () => Promise<Uint8Array>;

/**
 * The key of a load. Shoppers of different days are counted once only if their ids were hashed with the same key, so the table records a fingerprint of the
 * key of its first load, and later loads must have the same key.
 * @throws Error if the facts in the table were hashed with another key
 */
export async function checkUserIdKey(table: Table, state: CommitState, source: UserIdKeySource): Promise<Uint8Array> {
  const [key, recorded] = await Promise.all([source(), table.get(USER_ID_KEY, { consistent: true })]);
  if (state.commit === 0) return key; // what an undone first load has recorded does not matter
  if (recorded?.fingerprint !== fingerprintOf(key)) {
    throw new Error(
      'the user ids in this table were hashed with another key, so users would be counted twice: load with the key of the first load (see "The hashing key for shopper ids" in infra/README.md)',
    );
  }
  return key;
}

/** To be called by a table's first load, before its commit. */
export async function recordUserIdKey(table: Table, key: Uint8Array): Promise<void> {
  await table.put({ ...USER_ID_KEY, fingerprint: fingerprintOf(key) });
}

/** 64 bits: too few to determine a key of 128 bits, enough to distinguish keys. */
function fingerprintOf(key: Uint8Array): string {
  return createHash('sha256').update('endcap user id key').update(key).digest('hex').slice(0, 16);
}
