import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { USER_ID_KEY_BYTES } from '../../shared/columns/hash-shopper.ts';
import type { UserIdKeySource } from '../../shared/store/data-settings.ts';

const OWNER_ONLY = 0o600;

/**
 * @param folder a data folder
 * @param first the key if there is none yet; absent = a random one
 * @returns a function that reads the key from the folder; its first call creates it there, readable by its owner only. It throws an Error if the file is
 * unreadable or damaged
 */
export function userIdKeyIn(folder: string, first?: Uint8Array): UserIdKeySource {
  const file = join(folder, 'user-ids.key');
  return async () => readKey(file) ?? createKey(file, first ?? randomBytes(USER_ID_KEY_BYTES));
}

function readKey(file: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const key = Buffer.from(text, 'hex');
  if (key.length !== USER_ID_KEY_BYTES || key.toString('hex') !== text)
    throw new Error(`${file} is damaged: it must have ${2 * USER_ID_KEY_BYTES} hexadecimal digits`);
  return key;
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
