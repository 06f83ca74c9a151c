import { beforeEach, describe, expect, test } from 'vitest';
import { createKey, listKeys, revokeKey } from '../../shared/identity/api-keys.ts';
import { Callers } from '../../shared/identity/callers.ts';
import { beginCommit, CommitReader } from '../../shared/store/commit/commits.ts';
import { type User, writeUsers } from '../../shared/store/listings/users.ts';
import type { Meter } from '../../shared/store/table/client.ts';
import { useTablePerTest } from '../support/use-engine.ts';

const made = useTablePerTest();
let now: number;
let callers: Callers;
let commits: CommitReader;
const clock = () => now;
const DAY_MS = 86_400_000;

beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  commits = new CommitReader(made.table, clock);
  callers = new Callers(commits, clock);
  await loadUsers([1, 2]);
});

async function loadUsers(accountIds: readonly number[], ...others: readonly User[]): Promise<void> {
  const writer = await beginCommit(made.table, { owner: 'the test' });
  await writeUsers(writer, [{ userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds }, ...others]);
  await writer.finish();
}

/** @returns user id and accounts of the key's user, or why the key is rejected */
async function find(key: string): Promise<unknown> {
  const found = await callers.find(key, made.table);
  return 'reason' in found ? found.reason : [found.userId, ...found.accountIds];
}

describe('a key', () => {
  test('has 256 random bits and starts with ecap_', async () => {
    const { key: first } = await createKey(made.table, 'ana', { clock });
    const { key: second } = await createKey(made.table, 'ana', { clock });
    expect(first).toMatch(/^ecap_[\w-]{43}$/);
    expect(second).not.toBe(first);
  });

  test('is stored only as its SHA-256', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock });
    const content = JSON.stringify(await made.content());
    expect(content).not.toContain(key);
    expect(content).not.toContain(key.slice('ecap_'.length));
    expect(content).toContain(record.id);
  });

  test('is valid immediately, by default for 365 days', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock });
    expect(record).toEqual({ id: record.id, userId: 'ana', createdAt: now, expiresAt: now + 365 * DAY_MS });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    const short = await createKey(made.table, 'ana', { clock, days: 1 });
    now += DAY_MS - 1;
    expect(await find(short.key)).toEqual(['ana', 1, 2]);
    now += 1;
    expect(await find(short.key)).toBe('The API key has expired.');
  });

  test('expires also on an instance that has cached it', async () => {
    const { key } = await createKey(made.table, 'ana', { clock, days: 10_000 / DAY_MS });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    now += 10_000;
    expect(await find(key)).toBe('The API key has expired.');
  });

  test.each([0, -1, Number.NaN, 3_651, 1e8])('is not created for %d days', async (days) => {
    await expect(createKey(made.table, 'ana', { clock, days })).rejects.toThrow('more than 0 days and at most 3650');
    expect(await listKeys(made.table, 'ana')).toEqual([]);
  });

  test('cannot be created again for another user', async () => {
    await createKey(made.table, 'ana', { clock, key: 'demo' });
    await expect(createKey(made.table, 'carl', { clock, key: 'demo' })).rejects.toThrow(
      'already belongs to another user',
    );
    expect(await find('demo')).toEqual(['ana', 1, 2]);
  });
});

describe('a user', () => {
  test('may have two valid keys, so that keys can be rotated', async () => {
    const first = await createKey(made.table, 'ana', { clock });
    now += 1;
    const second = await createKey(made.table, 'ana', { clock });
    const ids = `${first.record.id} and ${second.record.id}`;
    await expect(createKey(made.table, 'ana', { clock })).rejects.toThrow(
      /already has two valid keys, .*: revoke one first/,
    );
    expect((await listKeys(made.table, 'ana')).map(({ id }) => id).join(' and ')).toBe(ids);
    await revokeKey(made.table, 'ana', first.record.id, clock);
    expect(await createKey(made.table, 'ana', { clock })).toHaveProperty('key');
  });

  test('never has three keys, even if they are created concurrently', async () => {
    const results = await Promise.allSettled(Array.from({ length: 9 }, () => createKey(made.table, 'ana', { clock })));
    const created = results.filter(({ status }) => status === 'fulfilled').length;
    expect(created).toBeLessThanOrEqual(2);
    expect(await listKeys(made.table, 'ana')).toHaveLength(created);
  });

  test('does not see the keys of other users', async () => {
    await createKey(made.table, 'ana', { clock });
    expect(await listKeys(made.table, 'carl')).toEqual([]);
  });
});

describe('a revoked key', () => {
  test('is rejected by every instance within 60 seconds, permanently', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    expect(await revokeKey(made.table, 'ana', record.id, clock)).toBe(true);
    const otherInstance = new Callers(new CommitReader(made.table), clock);
    expect(await otherInstance.find(key, made.table)).toEqual({ reason: 'The API key has been revoked.' });
    now += 60_000;
    expect(await find(key)).toBe('The API key has been revoked.');
    expect(await listKeys(made.table, 'ana')).toEqual([{ ...record, revokedAt: now - 60_000 }]);
    expect(await revokeKey(made.table, 'ana', record.id, clock)).toBe(true);
  });

  test('must belong to the given user', async () => {
    const { record } = await createKey(made.table, 'ana', { clock });
    expect(await revokeKey(made.table, 'carl', record.id, clock)).toBe(false);
    expect(await revokeKey(made.table, 'ana', 'nothing', clock)).toBe(false);
  });
});

describe('the cache of an instance', () => {
  test('saves the reads of a key that was used in the last minute', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    await find(key);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    await callers.find(key, made.table.metered(meter));
    expect(meter).toEqual({ readUnits: 0, writeUnits: 0, calls: 0 });
  });

  test('holds an unknown key for 5 seconds', async () => {
    expect(await find('later')).toBe('The API key is unknown.');
    await createKey(made.table, 'ana', { clock, key: 'later' });
    expect(await find('later')).toBe('The API key is unknown.');
    now += 5_000;
    expect(await find('later')).toEqual(['ana', 1, 2]);
  });

  test('does not evict valid keys because of unknown ones', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    await find(key);
    await Promise.all(Array.from({ length: 1_500 }, (_, index) => find(`unknown-${index}`)));
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    await callers.find(key, made.table.metered(meter));
    expect(meter.calls).toBe(0);
  });

  test('holds the accounts as of a commit that is read once per second', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    await loadUsers([2, 7]);
    now += 999;
    expect(await find(key)).toEqual(['ana', 1, 2]);
    now += 1;
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    expect(await callers.find(key, made.table.metered(meter))).toMatchObject({ accountIds: new Set([2, 7]) });
    expect(meter).toEqual({ readUnits: 2, writeUnits: 0, calls: 2 });
    now += 1_000;
    await callers.find(key, made.table.metered(meter));
    expect(meter).toEqual({ readUnits: 3, writeUnits: 0, calls: 3 });
  });

  test('is updated as soon as the instance has read a newer commit', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    await loadUsers([2, 7]);
    await commits.current();
    expect(await find(key)).toEqual(['ana', 2, 7]);
  });

  test('is bypassed by refresh', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    const caller = await callers.find(key, made.table);
    if ('reason' in caller) throw new Error(caller.reason);
    await loadUsers([9]);
    expect([...(await callers.refresh(caller, made.table, await commits.current())).accountIds]).toEqual([9]);
    const writer = await beginCommit(made.table, { owner: 'the test' });
    await writeUsers(writer, []);
    await writer.finish();
    expect([...(await callers.refresh(caller, made.table, await commits.current())).accountIds]).toEqual([]);
    now += 60_000;
    expect(await find(key)).toBe('The API key belongs to a user that does not exist.');
  });
});
