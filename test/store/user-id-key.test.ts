import { createHash, createSecretKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKms } from '../../infra/local/emulator/services/kms.ts';
import { useLocalCredentials } from '../../infra/local/emulator/services/local-credentials.ts';
import { userIdKeyIn } from '../../infra/local/user-id-key-file.ts';
import { kmsUserIdKey } from '../../shared/identity/kms-user-id-key.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { DATA_SETTINGS_KEY } from '../../shared/store/table/item-keys.ts';
import type { Table } from '../../shared/store/table/table.ts';
import { folderOf, makeFolder } from '../load/support/folder.ts';
import { FACTS, NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';

const made = useTablePerTest();
const keyOf = (byte: number) => async () => new Uint8Array(16).fill(byte);

async function load(table: Table, byte: number): Promise<string> {
  using folder = folderOf({ ...NETWORK, ...FACTS });
  return (await loadFolder({ folder: folder.path, table, timeZone: 'UTC', userIdKey: keyOf(byte) })).outcome;
}

test('a table is loaded with the key of its first load only, and a load with another key changes nothing', async () => {
  expect(await load(made.table, 1)).toBe('loaded');
  const before = await readCommit(made.table);
  await expect(load(made.table, 2)).rejects.toThrow('hashed with another key, so users would be counted twice');
  expect(await readCommit(made.table)).toEqual(before);
  expect(await load(made.table, 1)).toBe('unchanged');
});

test('the table does not hold the key, and its fingerprint is not the key’s hash alone', async () => {
  await load(made.table, 1);
  const fingerprint = (await made.table.get(DATA_SETTINGS_KEY, { consistent: true }))?.userIdKey;
  expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  const key = Buffer.from(await keyOf(1)());
  const hash = createHash('sha256').update(key).digest('hex');
  expect(hash).not.toContain(fingerprint);
  for (const { pk, sk, ...values } of await made.content()) {
    const bytes = Object.values(values).filter((value) => value instanceof Uint8Array);
    expect(bytes.some((value) => Buffer.from(value).includes(key))).toBe(false);
    expect(`${pk} ${sk} ${JSON.stringify(values)}`).not.toContain(key.toString('hex').slice(0, 16));
  }
});

test('a data folder has one key, even if its first requests are concurrent, and only its owner can read it', async () => {
  using folder = makeFolder();
  const keys = await Promise.all([userIdKeyIn(folder.path)(), userIdKeyIn(folder.path)(), userIdKeyIn(folder.path)()]);
  const file = join(folder.path, 'user-ids.key');
  expect(new Set(keys.map((key) => Buffer.from(key).toString('hex')))).toEqual(
    new Set([readFileSync(file, 'utf8').trim()]),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a key in KMS yields the same 16 bytes at every call, and another key other bytes', async () => {
  const secrets = { a: new Uint8Array(32).fill(1), b: new Uint8Array(32).fill(2) };
  const kms = await openKms(
    new Map([
      ['a', createSecretKey(secrets.a)],
      ['b', createSecretKey(secrets.b)],
    ]),
  );
  useLocalCredentials();
  process.env.AWS_ENDPOINT_URL_KMS = kms.url;
  try {
    const [first, again, other] = await Promise.all(['a', 'a', 'b'].map((id) => kmsUserIdKey(id)()));
    expect(first).toHaveLength(16);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    await expect(kmsUserIdKey('absent')()).rejects.toThrow("Key 'absent' does not exist");
  } finally {
    delete process.env.AWS_ENDPOINT_URL_KMS;
    await kms.close();
  }
});
