import { beforeEach, describe, expect, test } from 'vitest';
import { TABLE_FORMAT } from '../../../shared/store/commit/commit-state.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { readListingPage, readListingVersions, writeListing } from '../../../shared/store/listings/listings.ts';
import { type Item, sizeOf } from '../../../shared/store/table/item.ts';
import { listingHeadKey, listingOfAccount, STATE_KEY } from '../../../shared/store/table/item-keys.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { digestBytes } from '../sample-load.ts';

/** What the state of a table has besides. */
const STATE = { identity: 'of this table', users: 0, listings: 0, dimensions: 0, facts: 0 };

const DAY = 86_400_000;
const ref = listingOfAccount('contacts', 1);
const key = listingHeadKey(ref);

describe.each(ENGINES)('contacts that change in every load, on %s', (name) => {
  const made = useTablePerTest(name);
  let now: number;

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
  });

  const begin = () => beginCommit(made.table, { owner: 'the test', clock: () => now });

  /** Loads `total` contacts, named by the load. @returns the number of the load */
  const load = async (total: number) => {
    const writer = await begin();
    await writeListing(writer, ref, () => Array.from({ length: total }, (_, id) => ({ id, load: writer.n })));
    await writer.finish();
    return writer.n;
  };

  const headItem = async (): Promise<Item> => {
    const item = await made.table.get(key, { consistent: true });
    if (item === undefined) throw new Error('the head does not exist');
    return item;
  };

  const contentWithoutState = async () => (await made.content()).filter(({ pk }) => pk !== 'COMMIT').map(digestBytes);

  test('have the versions of 31 days of hourly loads, which take a few read units', async () => {
    const random = randomFrom(1);
    let n = 0;
    const versions = Array.from({ length: 741 }, () => {
      n += 1 + random.int(3);
      const hash = Array.from({ length: 22 }, () => random.int(36).toString(36)).join('');
      return { n, value: { total: 5 + random.int(40), hash } };
    });
    const state = { format: TABLE_FORMAT, commit: n, drawn: n, aborted: '', readersFloor: 0, viewsFloor: 0 };
    await made.table.putMany([
      { ...STATE_KEY, ...STATE, ...state },
      { ...key, by: n, versions },
    ]);
    const expected = new Map(versions.map((version) => [version.n, version.value.total]));
    for (const total of [3, 4, 5]) expected.set(await load(total), total);
    expect(expected.size).toBe(744);
    expect(sizeOf(await headItem())).toBeLessThan(64_000);
    const { aborted } = await readCommit(made.table);
    const all = [...expected];
    for (let i = 0; i < all.length; i += 17) {
      const [commit = 0, total] = all[i] ?? [];
      expect(await readListingVersions(made.table, [ref], { commit, aborted })).toMatchObject([{ n: commit, total }]);
    }
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const [latest] = await readListingVersions(made.table.metered(meter), [ref], { commit: n + 3, aborted });
    expect(latest).toMatchObject({ total: 5 });
    expect(meter.readUnits).toBeLessThanOrEqual(16);
  });

  test('of more than 1,000 loads are seen as of the oldest version that is kept, and fit into an item', async () => {
    const versions = Array.from({ length: 1_000 }, (_, i) => ({
      n: 3 * i + 3,
      value: { total: i, hash: 'h'.repeat(22) },
    }));
    const state = { format: TABLE_FORMAT, commit: 3_000, drawn: 3_000, aborted: '', readersFloor: 0, viewsFloor: 0 };
    await made.table.putMany([
      { ...STATE_KEY, ...STATE, ...state },
      { ...key, by: 3_000, versions },
    ]);
    for (const total of [5, 6, 7]) await load(total);
    expect(sizeOf(await headItem())).toBeLessThan(100_000);
    const { aborted } = await readCommit(made.table);
    const totalAt = async (commit: number) =>
      (await readListingVersions(made.table, [ref], { commit, aborted })).map((version) => version?.total);
    const expected = { 2: undefined, 3: 3, 6: 3, 11: 3, 12: 3, 14: 3, 15: 4, 3000: 999, 3001: 5, 3003: 7 };
    const found = Object.keys(expected).map(async (commit) => [commit, ...(await totalAt(Number(commit)))]);
    expect(await Promise.all(found)).toEqual(Object.entries(expected));
    // the items of the version itself are read
    expect(await readListingVersions(made.table, [ref], { commit: 3, aborted })).toMatchObject([{ n: 12 }]);
    const writer = await begin();
    await writeListing(writer, ref, () => [{ id: 7 }]);
    await writer.flush();
    await writer.abandon();
    expect([await totalAt(3), await totalAt(3_003)]).toEqual([[4], [7]]);
  });

  test('are seen as of every commit of the last 31 days', async () => {
    const loads: (readonly [n: number, total: number])[] = [];
    for (let i = 0; i < 60; i++) {
      const total = i === 5 ? 0 : 1 + (i % 3); // the sixth load removes them
      loads.push([await load(total), total]);
      now += 3_600_000;
    }
    const { aborted } = await readCommit(made.table);
    const page = { offset: 0, size: 10 };
    for (const [commit, total] of loads) {
      const items = Array.from({ length: total }, (_, id) => ({ id, load: commit }));
      expect(await readListingPage(made.table, ref, page, { commit, aborted })).toEqual({ items, total });
    }
    now += 31 * DAY;
    await load(4);
    expect(await headItem()).toMatchObject({ versions: [{ n: loads.at(-1)?.[0] }, { n: 61 }] });
  });

  test('have all their versions after an abandoned load', async () => {
    for (let i = 0; i < 55; i++) await load(1 + (i % 3));
    const { aborted } = await readCommit(made.table);
    const versionsAt = async () =>
      Promise.all(
        Array.from({ length: 55 }, (_, i) => readListingVersions(made.table, [ref], { commit: i + 1, aborted })),
      );
    const before = await versionsAt();
    const writer = await begin();
    await writeListing(writer, ref, () => [{ id: 7 }]);
    await writer.flush();
    expect(await versionsAt()).toMatchObject(before.map((found) => found.map((version) => ({ n: version?.n }))));
    const written = await contentWithoutState();
    await writer.abandon();
    expect(await contentWithoutState()).not.toEqual(written);
    expect((await versionsAt()).map(([version]) => version?.total)).toEqual(before.map(([version]) => version?.total));
    const next = await load(2);
    expect(await readListingVersions(made.table, [ref], await readCommit(made.table))).toMatchObject([{ n: next }]);
    expect((await versionsAt()).map(([version]) => version?.total)).toEqual(before.map(([version]) => version?.total));
  });
});
