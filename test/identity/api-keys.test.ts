import { beforeEach, describe, expect, test } from 'vitest';
import {
  type CreateKeyOptions,
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  setKey,
} from '../../shared/identity/api-keys.ts';
import { Callers } from '../../shared/identity/callers.ts';
import { KEY_PATTERN } from '../../shared/identity/keys/key-record.ts';
import { LastUsed, readLastUsed } from '../../shared/identity/last-used.ts';
import { CommitReader } from '../../shared/store/commit/commits.ts';
import { lastUsedKey } from '../../shared/store/table/item-keys.ts';
import type { Meter, Table } from '../../shared/store/table/table.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { findUser, loadAna } from './ana.ts';

const made = useTablePerTest();
let now: number;
let callers: Callers;
let commits: CommitReader;
const clock = () => now;
const DAY_MS = 86_400_000;

beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  commits = new CommitReader(made.table, clock);
  callers = new Callers(commits, clock, clock);
  await loadAna(made.table, [1, 2]);
});

const find = (key: string) => findUser(callers, made.table, key);

describe('a key', () => {
  test('has the documented form, and differs from every other key', async () => {
    const { key: first } = await createKey(made.table, 'ana', { clock });
    const { key: second } = await createKey(made.table, 'ana', { clock });
    expect(first).toMatch(KEY_PATTERN);
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
    expect(record).toEqual({
      id: record.id,
      digest: record.digest,
      userId: 'ana',
      createdAt: now,
      expiresAt: now + 365 * DAY_MS,
    });
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

  test('has no label with control characters, which could forge lines of a list of keys', async () => {
    const message = 'the label of a key must have no control characters, such as line breaks';
    const forged = 'a\n812de5ae0322  created 2026-01-01';
    await expect(createKey(made.table, 'ana', { clock, label: forged })).rejects.toThrow(message);
    const { record } = await createKey(made.table, 'ana', { clock, label: 'naïve – ok' });
    for (const label of [forged, 'a\u001b[2K', 'a\u0085b'])
      await expect(setKey(made.table, 'ana', record.id, { label }, { clock })).rejects.toThrow(message);
    expect(await listKeys(made.table, 'ana')).toEqual([record]);
  });

  test('cannot be created again for another user', async () => {
    await createKey(made.table, 'ana', { clock, key: 'demo' });
    await expect(createKey(made.table, 'carl', { clock, key: 'demo' })).rejects.toThrow(
      'already belongs to another user',
    );
    expect(await listKeys(made.table, 'carl')).toEqual([]);
    expect(await find('demo')).toEqual(['ana', 1, 2]);
  });
});

describe('a user', () => {
  test('may have ten valid keys, or as many as the operator allows', async () => {
    const records = [];
    for (let count = 0; count < 10; count += 1) {
      records.push((await createKey(made.table, 'ana', { clock })).record);
      now += 1;
    }
    await expect(createKey(made.table, 'ana', { clock })).rejects.toThrow(
      'the user ana already has 10 valid keys: revoke one first, or allow more with --max-keys',
    );
    expect(await listKeys(made.table, 'ana')).toEqual(records);
    const [{ id } = { id: '' }] = records;
    await expect(rotateKey(made.table, 'ana', id, { overlapDays: 7, clock })).rejects.toThrow('already has 10 valid');
    expect(await rotateKey(made.table, 'ana', id, { overlapDays: 7, clock, maxKeys: 11 })).toHaveProperty('key');
    for (const key of records.slice(0, 2)) await revokeKey(made.table, 'ana', key.id, { clock });
    expect(await createKey(made.table, 'ana', { clock })).toHaveProperty('key');
  });

  test('never has more, even if they are created concurrently', async () => {
    const create = () => createKey(made.table, 'ana', { clock, maxKeys: 2 });
    const results = await Promise.allSettled(Array.from({ length: 9 }, create));
    const created = results.filter(({ status }) => status === 'fulfilled').length;
    expect(created).toBeLessThanOrEqual(2);
    expect(await listKeys(made.table, 'ana')).toHaveLength(created);
  });

  test('never has more, even if one that has expired becomes valid again', async () => {
    const { record: expired } = await createKey(made.table, 'ana', { clock, days: 1 });
    now += DAY_MS;
    const { record: second } = await createKey(made.table, 'ana', { clock });
    const { record: third } = await createKey(made.table, 'ana', { clock });
    const renew = (id: string) => setKey(made.table, 'ana', id, { days: 30 }, { clock, maxKeys: 2 });
    const stored = await listKeys(made.table, 'ana');
    await expect(renew(expired.id)).rejects.toThrow('the user ana already has 2 valid keys');
    expect(await listKeys(made.table, 'ana')).toEqual(stored);
    expect(await renew(third.id)).toMatchObject({ expiresAt: now + 30 * DAY_MS });
    await revokeKey(made.table, 'ana', second.id, { clock });
    expect(await renew(expired.id)).toMatchObject({ expiresAt: now + 30 * DAY_MS });
  });

  /** A valid key that is not listed can be neither seen nor revoked. */
  test.each([1, 700])(
    'has a key in the list until it expires, also if a change to %i days is interrupted',
    async (days) => {
      const { record } = await createKey(made.table, 'ana', { clock, days: 365 });
      for (const failing of ['put', 'update'] as const) {
        const table = new Proxy(made.table, {
          get: (target, name: keyof Table) => {
            if (name === failing) return () => Promise.reject(new Error('interrupted'));
            const member = target[name];
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
        await expect(setKey(table, 'ana', record.id, { days }, { clock })).rejects.toThrow('interrupted');
        const [key] = await made.table.query({ pk: 'KEYS#ana', consistent: true });
        const [listed] = await listKeys(made.table, 'ana');
        expect(Number(key?.expiresAt) * 1000).toBeGreaterThanOrEqual(listed?.expiresAt ?? Number.NaN);
      }
    },
  );

  test('does not see the keys of other users', async () => {
    await createKey(made.table, 'ana', { clock });
    expect(await listKeys(made.table, 'carl')).toEqual([]);
  });
});

describe('a revoked key', () => {
  test('is rejected by every instance within 10 seconds, permanently', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    expect(await revokeKey(made.table, 'ana', record.id, { clock })).toBe(true);
    const otherInstance = new Callers(new CommitReader(made.table), clock, clock);
    expect(await otherInstance.find(key, made.table)).toEqual({ reason: 'The API key has been revoked.' });
    now += 10_000;
    expect(await find(key)).toBe('The API key has been revoked.');
    expect(await listKeys(made.table, 'ana')).toEqual([{ ...record, revokedAt: now - 10_000 }]);
    expect(await revokeKey(made.table, 'ana', record.id, { clock })).toBe(true);
  });

  test('must belong to the given user', async () => {
    const { record } = await createKey(made.table, 'ana', { clock });
    expect(await revokeKey(made.table, 'carl', record.id, { clock })).toBe(false);
    expect(await revokeKey(made.table, 'ana', 'nothing', { clock })).toBe(false);
  });
});

describe('setKey', () => {
  test('changes and removes attributes, in force within 10 seconds', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock, label: 'nightly', accountIds: [2] });
    expect(await find(key)).toEqual(['ana', 2]);
    const change = { label: null, accountIds: [1], scopes: ['report'], days: 1 } as const;
    expect(await setKey(made.table, 'ana', record.id, change, { clock })).toEqual({
      ...record,
      label: undefined,
      accountIds: [1],
      scopes: ['report'],
      expiresAt: now + DAY_MS,
    });
    now += 10_000;
    expect(await find(key)).toEqual(['ana', 1]);
    await setKey(made.table, 'ana', record.id, { accountIds: null }, { clock });
    now += 10_000;
    expect(await find(key)).toEqual(['ana', 1, 2]);
    now += DAY_MS - 20_000;
    expect(await find(key)).toBe('The API key has expired.');
  });

  test('rejects invalid attributes and keys that the user does not have, and changes nothing', async () => {
    const { record } = await createKey(made.table, 'ana', { clock });
    const set = (change: Parameters<typeof setKey>[3]) => setKey(made.table, 'ana', record.id, change, { clock });
    await expect(set({ addresses: ['1.2.3.4/99'] })).rejects.toThrow('1.2.3.4/99 is not an IP address or a range');
    await expect(set({ scopes: [] })).rejects.toThrow('the list of scopes of a key must not be empty');
    await expect(set({ days: 0 })).rejects.toThrow('more than 0 days');
    expect(await setKey(made.table, 'carl', record.id, { label: 'x' }, { clock })).toBeUndefined();
    expect(await listKeys(made.table, 'ana')).toEqual([record]);
  });
});

/** The entry of the audit was written after the change, so that an interruption between the two left a change without an entry. */
describe('a change that cannot be recorded', () => {
  type Change = (id: string, record: (id: string) => Promise<void>) => Promise<unknown>;
  const changes: [string, Change][] = [
    ['createKey', (_, record) => createKey(made.table, 'ana', { clock, record })],
    ['setKey', (id, record) => setKey(made.table, 'ana', id, { label: 'x', days: 1 }, { clock, record })],
    ['rotateKey', (id, record) => rotateKey(made.table, 'ana', id, { overlapDays: 1, clock, record })],
    ['revokeKey', (id, record) => revokeKey(made.table, 'ana', id, { clock, record })],
  ];

  test.each(changes)('is not made: %s', async (name, change) => {
    const { record: old } = await createKey(made.table, 'ana', { clock });
    const before = await made.content();
    const recorded: string[] = [];
    const fails = async (id: string) => {
      recorded.push(id);
      throw new Error('interrupted');
    };
    await expect(change(old.id, fails)).rejects.toThrow('interrupted');
    expect(await made.content()).toEqual(before);
    const isNew = name === 'createKey' || name === 'rotateKey';
    expect(recorded).toEqual([isNew ? expect.stringMatching(/^[0-9a-f]{12}$/) : old.id]);
    expect(recorded.includes(old.id)).toBe(!isNew);
  });

  test('is not recorded if it is rejected, or changes nothing', async () => {
    const [first] = [await createKey(made.table, 'ana', { clock }), await createKey(made.table, 'ana', { clock })];
    await revokeKey(made.table, 'ana', first.record.id, { clock });
    await createKey(made.table, 'ana', { clock });
    const record = () => Promise.reject(new Error('recorded'));
    const create = createKey(made.table, 'ana', { clock, maxKeys: 2, record });
    await expect(create).rejects.toThrow('already has 2 valid keys');
    await expect(setKey(made.table, 'ana', first.record.id, { addresses: ['x'] }, { clock, record })).rejects.toThrow(
      'x is not an IP address',
    );
    expect(await revokeKey(made.table, 'ana', first.record.id, { clock, record })).toBe(true);
  });
});

describe('rotateKey', () => {
  test('creates a key with the same attributes, and lets the old one expire after the overlap', async () => {
    const attributes = { label: 'nightly', scopes: ['report'], accountIds: [2], addresses: ['::1'] } as const;
    const old = await createKey(made.table, 'ana', { clock, ...attributes });
    now += 1;
    const rotated = await rotateKey(made.table, 'ana', old.record.id, { overlapDays: 7, clock });
    expect(rotated?.record).toMatchObject({ ...attributes, expiresAt: now + 365 * DAY_MS });
    expect(await find(old.key)).toEqual(['ana', 2]);
    expect(await find(rotated?.key ?? '')).toEqual(['ana', 2]);
    now += 7 * DAY_MS;
    expect(await find(old.key)).toBe('The API key has expired.');
    expect(await find(rotated?.key ?? '')).toEqual(['ana', 2]);
  });

  test('does not extend a key that expires within the overlap, and rejects revoked keys', async () => {
    const old = await createKey(made.table, 'ana', { clock, days: 2 });
    await rotateKey(made.table, 'ana', old.record.id, { overlapDays: 7, clock });
    const kept = (await listKeys(made.table, 'ana')).find(({ id }) => id === old.record.id);
    expect(kept?.expiresAt).toBe(old.record.expiresAt);
    await revokeKey(made.table, 'ana', old.record.id, { clock });
    const again = rotateKey(made.table, 'ana', old.record.id, { overlapDays: 7, clock });
    await expect(again).rejects.toThrow('The API key has been revoked. Create a new key instead.');
  });
});

describe('the day of last use', () => {
  test('is written once a day by all instances together', async () => {
    const { record } = await createKey(made.table, 'ana', { clock });
    expect(await readLastUsed(made.table, [record.digest])).toEqual([undefined]);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    for (let day = 0; day < 3; day += 1) {
      for (const instance of Array.from({ length: 4 }, () => new LastUsed(made.table.metered(meter), clock))) {
        for (let request = 0; request < 50; request += 1) await instance.record(record);
      }
      now += DAY_MS;
    }
    expect(meter).toMatchObject({ writeUnits: 3, calls: 3 * 4 + 3 });
    expect(await readLastUsed(made.table, [record.digest])).toEqual(['2026-03-03']);
  });

  test('expires with the key, also after the key was extended; that of an unused key is not created', async () => {
    const { record } = await createKey(made.table, 'ana', { clock, days: 7 });
    const expiry = async () => (await made.table.get(lastUsedKey(record.digest), { consistent: true }))?.expiresAt;
    await setKey(made.table, 'ana', record.id, { days: 30 }, { clock });
    expect(await expiry()).toBeUndefined();
    await new LastUsed(made.table, clock).record(record);
    await setKey(made.table, 'ana', record.id, { days: 365 }, { clock });
    expect(await expiry()).toBe((now + 365 * DAY_MS) / 1000);
    expect(await readLastUsed(made.table, [record.digest])).toEqual(['2026-03-01']);
  });
});

describe('a key for URLs', () => {
  const create = (options: CreateKeyOptions = {}) =>
    createKey(made.table, 'ana', { clock, isForUrls: true, accountIds: [1], ...options });
  const REJECTED =
    'a key for URLs, which others may see, needs the scope report, a list of accounts, and at most 90 days from its creation to its expiry';

  test('is for reports, of some accounts, and valid for 90 days', async () => {
    const { record } = await create();
    expect(record).toMatchObject({ isForUrls: true, scopes: ['report'], accountIds: [1] });
    expect(record.expiresAt).toBe(now + 90 * DAY_MS);
    expect(await listKeys(made.table, 'ana')).toEqual([record]);
  });

  test.each([
    [{}],
    [{ accountIds: [1], days: 91 }],
    [{ accountIds: [1], scopes: ['report', 'jwt'] as const }],
    [{ accountIds: [1], scopes: ['metadata'] as const }],
  ])('is not created with %j', async (options) => {
    await expect(createKey(made.table, 'ana', { clock, isForUrls: true, ...options })).rejects.toThrow(REJECTED);
    expect(await listKeys(made.table, 'ana')).toEqual([]);
  });

  test.each([
    [{ accountIds: null }],
    [{ scopes: null }],
    [{ scopes: ['report', 'metadata'] as const }],
    [{ days: 61 }],
    [{ label: 'x', days: 3_650 }],
  ])('is not changed by %j after 30 days', async (change) => {
    const { record } = await create();
    now += 30 * DAY_MS;
    await expect(setKey(made.table, 'ana', record.id, change, { clock })).rejects.toThrow(REJECTED);
    expect(await listKeys(made.table, 'ana')).toEqual([record]);
  });

  test('can be changed within its limits', async () => {
    const { record } = await create({ days: 10 });
    now += 5 * DAY_MS;
    const change = { accountIds: [2], days: 85, dailyReadUnits: 5 };
    expect(await setKey(made.table, 'ana', record.id, change, { clock })).toEqual({
      ...record,
      accountIds: [2],
      dailyReadUnits: 5,
      expiresAt: record.createdAt + 90 * DAY_MS,
    });
  });

  test('is replaced by one for URLs, valid for 90 days from then on', async () => {
    const { record } = await create();
    now += 60 * DAY_MS;
    const rotation = { overlapDays: 7, clock };
    await expect(rotateKey(made.table, 'ana', record.id, { ...rotation, days: 91 })).rejects.toThrow(REJECTED);
    const rotated = await rotateKey(made.table, 'ana', record.id, rotation);
    expect(rotated?.record).toMatchObject({ isForUrls: true, scopes: ['report'], accountIds: [1] });
    expect(rotated?.record.expiresAt).toBe(now + 90 * DAY_MS);
  });
});
