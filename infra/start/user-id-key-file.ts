import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER_ID_KEY_BYTES } from '../../shared/columns/hash-user.ts';
import type { UserIdKeySource } from '../../shared/store/user-id-key.ts';

const OWNER_ONLY = 0o600;

/**
 * @param folder a data folder; the first use creates the key in it, readable by its owner only
 * @param first the key if there is none yet; absent = a random one
 */
export function userIdKeyIn(folder: string, first?: Uint8Array): UserIdKeySource {
  const file = join(folder, 'user-ids.key');
  return async () => readKey(file) ?? createKey(file, first ?? randomBytes(USER_ID_KEY_BYTES));
}

function readKey(file: string): Uint8Array | undefined {
  try {
    return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Links a complete draft to the file, so that the key is never partial, and never replaces one that another process has created meanwhile. */
function createKey(file: string, key: Uint8Array): Uint8Array {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${Buffer.from(key).toString('hex')}\n`, { mode: OWNER_ONLY });
  try {
    linkSync(draft, file);
    return key;
  } catch (error) {
    const other = readKey(file);
    if (other === undefined) throw error;
    return other;
  } finally {
    rmSync(draft, { force: true });
  }
}
