import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createKey, revokeKey, setKey } from '../../shared/identity/api-keys.ts';
import { Callers } from '../../shared/identity/callers.ts';
import { beginCommit, CommitReader } from '../../shared/store/commit/commits.ts';
import { writeUsers } from '../../shared/store/listings/users.ts';
import type { Meter } from '../../shared/store/table/table.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { findUser, loadAna } from './ana.ts';

const made = useTablePerTest();
const DAY_MS = 86_400_000;
let now: number;
let callers: Callers;
let commits: CommitReader;
const clock = () => now;

beforeEach(async () => {
  now = Date.UTC(2026, 2, 1);
  commits = new CommitReader(made.table, clock);
  callers = new Callers(commits, clock, clock);
  await loadAna(made.table, [1, 2]);
});

const find = (key: string) => findUser(callers, made.table, key);

/** Finds the keys `unknown-0`, `unknown-1` and so on. The engine would take long for so many reads, so the table returns nothing without it. */
async function rejectUnknown(count: number): Promise<void> {
  using get = vi.spyOn(made.table, 'get').mockResolvedValue(undefined);
  for (let index = 0; index < count; index += 1) await find(`unknown-${index}`);
  expect(get).toHaveBeenCalledTimes(count);
}

describe('the cache of an instance', () => {
  test('saves the reads of a key that was used in the last 10 seconds', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    await find(key);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    await callers.find(key, made.table.metered(meter));
    expect(meter).toEqual({ readUnits: 0, writeUnits: 0, calls: 0 });
  });

  test('is bypassed if its commit was read before the given time', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    await find(key);
    await loadAna(made.table, [1, 2, 3]);
    expect(await find(key)).toEqual(['ana', 1, 2]);
    const found = await callers.find(key, made.table, now + 1);
    expect(found).toMatchObject({ caller: { accountIds: new Set([1, 2, 3]) } });
  });

  test('holds an unknown key for 10 seconds', async () => {
    expect(await find('later')).toBe('The API key is unknown.');
    await createKey(made.table, 'ana', { clock, key: 'later' });
    expect(await find('later')).toBe('The API key is unknown.');
    now += 10_000;
    expect(await find('later')).toEqual(['ana', 1, 2]);
  });

  test('is not read for a mistyped key, and neither is the table', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const mistyped = `${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`;
    expect(await callers.find(mistyped, made.table.metered(meter))).toEqual({
      reason: 'The API key is mistyped or incomplete.',
    });
    expect(meter.calls).toBe(0);
  });

  test('reads a key again 10 seconds after the beginning of a slow read, so that a revocation during it is noticed', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock });
    const reading = find(key);
    now += 9_000; // the table responds slowly
    expect(await reading).toEqual(['ana', 1, 2]);
    await revokeKey(made.table, 'ana', record.id, { clock });
    now += 1_000;
    expect(await find(key)).toBe('The API key has been revoked.');
  });

  test('reads a key again 10 seconds after it was read, also if it has expired since, because it may be extended', async () => {
    const { key, record } = await createKey(made.table, 'ana', { clock, days: 1_000 / DAY_MS });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    now += 2_000;
    await setKey(made.table, 'ana', record.id, { days: 1 }, { clock });
    now += 7_999;
    expect(await find(key)).toMatch(/^The API key has expired/);
    now += 1;
    expect(await find(key)).toEqual(['ana', 1, 2]);
  });

  test('does not evict valid keys because of more unknown ones than it holds', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    await find(key);
    await rejectUnknown(10_001);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    await callers.find(key, made.table.metered(meter));
    expect(meter.calls).toBe(0);
  });

  test('is updated as soon as the instance has read a newer commit', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    expect(await find(key)).toEqual(['ana', 1, 2]);
    await loadAna(made.table, [2, 7]);
    await commits.current();
    expect(await find(key)).toEqual(['ana', 2, 7]);
  });

  test('is bypassed by refresh', async () => {
    const { key } = await createKey(made.table, 'ana', { clock });
    const found = await callers.find(key, made.table);
    if ('reason' in found) throw new Error(found.reason);
    const { caller } = found;
    await loadAna(made.table, [9]);
    expect([...(await callers.refresh(caller, made.table, await commits.current())).accountIds]).toEqual([9]);
    const writer = await beginCommit(made.table, { owner: 'the test' });
    await writeUsers(writer, []);
    await writer.finish();
    expect([...(await callers.refresh(caller, made.table, await commits.current())).accountIds]).toEqual([]);
    now += 60_000;
    expect(await find(key)).toBe('The API key belongs to a user that does not exist.');
  });
});
