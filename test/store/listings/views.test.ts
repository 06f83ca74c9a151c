import { beforeEach, describe, expect, test } from 'vitest';
import { beginCommit, CommitReader } from '../../../shared/store/commit/commits.ts';
import { readListingPage, writeListing } from '../../../shared/store/listings/listings.ts';
import { Views } from '../../../shared/store/listings/views.ts';
import { listingOfAccount } from '../../../shared/store/table/item-keys.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ref = listingOfAccount('contacts', 1);
const page = { offset: 0, size: 10 };

describe.each(ENGINES)('views on %s', (name) => {
  const made = useTablePerTest(name);
  let now: number;
  const clock = () => now;

  beforeEach(() => {
    now = Date.UTC(2026, 0, 1);
  });

  /** Loads one contact with the given name. */
  const load = async (firstName: string) => {
    const writer = await beginCommit(made.table, { owner: 'the test', clock: () => now });
    await writeListing(writer, ref, () => [{ id: 1, firstName }]);
    await writer.finish();
  };

  /** @returns the reads of one instance of the functions, with their meter */
  const startInstance = () => {
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const table = made.table.metered(meter);
    const commits = new CommitReader(table);
    const views = new Views(table, commits, clock, clock);
    return {
      meter,
      contactOf: async (userId: string) => {
        const { items } = await readListingPage(table, ref, page, views.stateOf(userId));
        return items[0]?.firstName;
      },
      getAccounts: async (userId: string) => views.advance(userId, await commits.current()),
    };
  };

  test('a user sees new contacts on every instance after reading the accounts, and the old ones before', async () => {
    await load('old');
    const [one, two] = [startInstance(), startInstance()];
    expect(await one.contactOf('anna')).toBe('old');
    expect(await two.contactOf('ben')).toBe('old');
    await load('new');
    expect(await one.contactOf('anna')).toBe('old');
    expect(await two.contactOf('anna')).toBe('old');
    await one.getAccounts('anna');
    expect(await two.contactOf('anna')).toBe('new');
    expect(await one.contactOf('anna')).toBe('new');
    expect(await one.contactOf('ben')).toBe('old');
    expect(await two.contactOf('ben')).toBe('old');
    expect(await startInstance().contactOf('carl')).toBe('new');
  });

  test('a view is valid for 30 days, and the next read advances it', async () => {
    await load('old');
    const instance = startInstance();
    await instance.getAccounts('anna');
    await load('new');
    now += 30 * DAY - 1;
    expect(await instance.contactOf('anna')).toBe('old');
    now += 1;
    expect(await instance.contactOf('anna')).toBe('new');
  });

  test('a view is valid for 30 days after the user last read the accounts', async () => {
    await load('old');
    const instances = [startInstance(), startInstance()];
    for (let hours = 0; hours < 40 * 24; hours += 20) {
      for (const instance of instances) await instance.getAccounts('anna');
      now += 20 * HOUR;
    }
    await load('new');
    now += 29 * DAY;
    expect(await startInstance().contactOf('anna')).toBe('old');
    now += DAY;
    expect(await startInstance().contactOf('anna')).toBe('new');
  });

  test('a view is written only when the commit has changed', async () => {
    await load('old');
    const [one, two] = [startInstance(), startInstance()];
    await one.getAccounts('anna');
    const written = one.meter.writeUnits;
    expect(written).toBeGreaterThan(0);
    const content = await made.content();
    for (let times = 0; times < 3; times += 1) await one.getAccounts('anna');
    expect(one.meter.writeUnits).toBe(written);
    now += HOUR;
    await two.getAccounts('anna');
    expect(await made.content()).toEqual(content);
    await load('new');
    await one.getAccounts('anna');
    expect(one.meter.writeUnits).toBe(2 * written);
  });

  test('a view never returns to an earlier commit', async () => {
    await load('old');
    const views = new Views(made.table, new CommitReader(made.table), clock, clock);
    await load('new');
    await views.advance('anna', { commit: 2, aborted: new Set() });
    const slow = new Views(made.table, new CommitReader(made.table), clock, clock);
    now += 2 * DAY;
    await slow.advance('anna', { commit: 1, aborted: new Set() });
    expect(await startInstance().contactOf('anna')).toBe('new');
  });

  test('concurrent first reads agree on a view, although a load ends between them', async () => {
    await load('old');
    const [one, two] = [startInstance(), startInstance()];
    const [first, , second] = await Promise.all([one.contactOf('anna'), load('new'), two.contactOf('anna')]);
    const settled = await one.contactOf('anna');
    expect(['old', 'new']).toContain(first);
    expect(['old', 'new']).toContain(second);
    expect(await two.contactOf('anna')).toBe(settled);
  });

  test('a page of contacts takes two round trips and at most 3 read units', async () => {
    await load('old');
    const instance = startInstance();
    await instance.contactOf('anna');
    const { calls, readUnits } = instance.meter;
    expect(await instance.contactOf('anna')).toBe('old');
    expect(instance.meter.calls - calls).toBe(3); // the view and the head concurrently, then the page
    expect(instance.meter.readUnits - readUnits).toBeLessThanOrEqual(3);
  });
});
