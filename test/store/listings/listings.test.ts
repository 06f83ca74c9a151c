import { describe, expect, test } from 'vitest';
import { beginCommit, CommitReader, readCommit } from '../../../shared/store/commit/commits.ts';
import { readListingPage, writeListing } from '../../../shared/store/listings/listings.ts';
import {
  accountsOfUser,
  allPlacements,
  type ListingRef,
  listingOfAccount,
  productsOfAdvertiser,
} from '../../../shared/store/table/item-keys.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { useTable } from '../../support/use-engine.ts';

const owner = 'the test';

/** @returns items of equal size */
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: 1_000_000 + index,
    name: `Product ${String(index).padStart(6, '0')}`,
    brand: 'b'.repeat(100),
  }));

describe('listings', () => {
  const made = useTable();

  const load = async (ref: ListingRef, items: readonly object[]) => {
    const writer = await beginCommit(made.table, { owner });
    const outcome = await writeListing(writer, ref, () => items);
    await writer.finish();
    return outcome;
  };

  const readPage = async (ref: ListingRef, offset: number, size: number) => {
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const state = await readCommit(made.table);
    const page = await readListingPage(made.table.metered(meter), ref, { offset, size }, state);
    return { page, meter };
  };

  test('the pages of 2,000 items contain each item exactly once, in order', async () => {
    const ref = productsOfAdvertiser(1);
    const items = numbered(2_000);
    await load(ref, items);
    const read: unknown[] = [];
    const state = await readCommit(made.table);
    for (let offset = 0; offset < 2_099; offset += 99) {
      const page = await readListingPage(made.table, ref, { offset, size: 99 }, state);
      expect(page.total).toBe(2_000);
      read.push(...page.items);
    }
    expect(read).toEqual(items);
  });

  test('the last page of 5,000 items costs the same read units as the first', async () => {
    const ref = productsOfAdvertiser(2);
    await load(ref, numbered(5_000));
    const first = await readPage(ref, 0, 100);
    const last = await readPage(ref, 4_900, 100);
    expect(last.page.items).toHaveLength(100);
    expect(last.meter).toEqual(first.meter);
  });

  test('a page of 10 takes two calls and at most 3 read units', async () => {
    const ref = productsOfAdvertiser(3);
    await load(ref, numbered(500));
    const { page, meter } = await readPage(ref, 40, 10);
    expect(page).toEqual({ items: numbered(500).slice(40, 50), total: 500 });
    expect(meter.calls).toBe(2);
    expect(meter.readUnits).toBeGreaterThan(0);
    expect(meter.readUnits).toBeLessThanOrEqual(3);
  });

  test('a page of 10 at the current commit takes two round trips and at most 3 read units', async () => {
    const ref = accountsOfUser('anna');
    await load(ref, numbered(500));
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const table = made.table.metered(meter);
    const state = new CommitReader(table).current(); // not awaited: the head is read concurrently
    expect((await readListingPage(table, ref, { offset: 0, size: 10 }, state)).items).toEqual(numbered(10));
    expect(meter.calls).toBe(3);
    expect(meter.readUnits).toBeLessThanOrEqual(3);
  });

  test('a reader with a cached commit reads it again only if the listing has a newer version', async () => {
    await load(productsOfAdvertiser(4), numbered(20));
    let now = 0;
    const reader = new CommitReader(made.table, () => now);
    await reader.current();
    await load(productsOfAdvertiser(5), numbered(20));
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const table = made.table.metered(meter);
    const page = { offset: 0, size: 10 };
    expect((await readListingPage(table, productsOfAdvertiser(4), page, reader)).total).toBe(20);
    expect(meter.calls).toBe(2);
    now += 1_000; // before that the reader may use its cached commit
    expect((await readListingPage(table, productsOfAdvertiser(5), page, reader)).total).toBe(20);
    expect(meter.calls).toBe(5);
  });

  test('a page past the end is empty and has the total', async () => {
    await load(listingOfAccount('contacts', 1), numbered(3));
    expect((await readPage(listingOfAccount('contacts', 1), 3, 10)).page).toEqual({ items: [], total: 3 });
    expect((await readPage(listingOfAccount('contacts', 1), 2, 10)).page).toEqual({
      items: numbered(3).slice(2),
      total: 3,
    });
    expect((await readPage(listingOfAccount('contacts', 77), 0, 10)).page).toEqual({ items: [], total: 0 });
  });

  test('an unchanged listing is not written and does not change the commit', async () => {
    expect(await load(allPlacements, numbered(12))).toBe('written');
    const before = await made.content();
    const { commit } = await readCommit(made.table);
    expect(await load(allPlacements, numbered(12))).toBe('unchanged');
    expect(await readCommit(made.table)).toMatchObject({ commit });
    const isData = (item: { pk: string }) => item.pk !== 'COMMIT';
    expect((await made.content()).filter(isData)).toEqual(before.filter(isData));
  });

  test('a page with a missing item throws STORE_INCONSISTENT', async () => {
    const ref = productsOfAdvertiser(6);
    await load(ref, numbered(30));
    const items = (await made.content()).filter(
      ({ pk, sk }) => pk === 'LISTING#products#6' && sk.endsWith('#00000004'),
    );
    expect(items).toHaveLength(1);
    await made.table.deleteMany(items);
    await expect(readPage(ref, 0, 10)).rejects.toMatchObject({ code: 'STORE_INCONSISTENT' });
    expect((await readPage(ref, 10, 10)).page.items).toHaveLength(10);
  });
});
