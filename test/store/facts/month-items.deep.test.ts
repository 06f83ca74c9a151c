import { describe, expect, test } from 'vitest';
import type { PartitionRef } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-reads.ts';
import type { EncodedRows } from '../../../shared/columns/build-day.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { manifestKey, monthItemKey } from '../../../shared/store/table/item-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { type Random, randomFrom } from '../../oracle/random/random.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { dayOf } from '../fact-days.ts';
import { dieAtCall, digestBytes, expireLease } from '../sample-load.ts';

const MAY: PartitionRef = { advertiserId: 7, experience: 'pla', table: 'delivery', month: '2026-05' };
const JUNE: PartitionRef = { ...MAY, month: '2026-06' };
const REFS = [MAY, JUNE, { ...MAY, table: 'conversions' }, { ...MAY, advertiserId: 8 }] as const;
const EMPTY: EncodedRows = { rows: 0, columns: new Map() };
const MINUTE = 60_000;

/** A month is one item if its columns, without a header of 24 bytes each, have at most this many bytes. */
const MAX_PAYLOAD = 64 * 1024;
const HEADER = 24;

/** The days of each partition. */
type Model = ReadonlyMap<PartitionRef, ReadonlyMap<number, EncodedRows>>;
type Change = readonly [PartitionRef, number, EncodedRows];

describe.each(ENGINES)('months of small days on %s', (name) => {
  const made = useTablePerTest(name);
  let now = 0;

  const begin = (table: Table = made.table) => beginCommit(table, { owner: 'the test', clock: () => now });

  const write = async (facts: FactWriter, changes: readonly Change[]) => {
    const outcomes = await Promise.all(changes.map(([ref, day, encoded]) => facts.writeDay(ref, day, encoded)));
    for (const ref of REFS) await facts.closeMonth(ref);
    await facts.finish();
    return outcomes;
  };

  const load = async (changes: readonly Change[], table?: Table) => {
    const writer = await begin(table);
    const outcomes = await write(new FactWriter(writer), changes);
    await writer.finish();
    return outcomes;
  };

  /** Deletes what earlier loads have superseded. */
  const collectGarbage = async () => {
    now += MINUTE;
    await (await begin()).finish();
  };

  const openSource = async (table: Table = made.table) => openSegmentSource(table, await readCommit(table));

  /** @returns the number of items with facts */
  const countItems = async (ref?: PartitionRef) => {
    const prefix = ref === undefined ? /^FACTS#\d+#\w+#\w+#[\d-]+#/ : new RegExp(`^${manifestKey(ref).pk}#`);
    return (await made.content()).filter(({ pk }) => prefix.test(pk)).length;
  };

  test('a month of small days is one item, whether its days are loaded together or one by one', async () => {
    const days = Array.from({ length: 30 }, (_, i) => [MAY, 1 + i, dayOf(1 + i, { clicks: 60, cost: 80 })] as const);
    await load(days.slice(0, 20));
    expect(await countItems()).toBe(1);
    for (const day of days.slice(20, 25)) await load([day]);
    await load(days.slice(25));
    await collectGarbage();
    expect(await countItems()).toBe(1);
    const small = new Map(days.map(([, day, facts]) => [day, facts]));
    await expectFacts(await openSource(), new Map([[MAY, small]]));
  });

  test('a month that grows too large has items for each day, and becomes one item again when it shrinks', async () => {
    const small = [1, 2, 3].map((day) => [MAY, day, dayOf(day, { clicks: 60, cost: 80 })] as const);
    const large: Change = [MAY, 4, dayOf(4, { clicks: MAX_PAYLOAD, cost: 9_000 })];
    await load(small);
    await load([large]);
    await collectGarbage();
    expect(await countItems()).toBe(3 + 2); // small days, and columns of the large one
    const all = new Map([...small, large].map(([, day, facts]) => [day, facts]));
    await expectFacts(await openSource(), new Map([[MAY, all]]));
    await load([[MAY, 4, EMPTY]]);
    await collectGarbage();
    expect(await countItems()).toBe(1);
    all.delete(4);
    await expectFacts(await openSource(), new Map([[MAY, all]]));
  });

  test('any days and columns of such a month are read with one call', async () => {
    await load(Array.from({ length: 30 }, (_, i) => [MAY, 1 + i, dayOf(1 + i, { clicks: 60, cost: 80, hour: 20 })]));
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const source = await openSource(made.table.metered(meter));
    const [manifest] = await source.manifests([MAY]);
    for (const [from, columns] of [
      [1, ['clicks']],
      [9, ['hour', 'clicks', 'cost', 'keyword']],
      [30, ['cost']],
    ] as const) {
      Object.assign(meter, { readUnits: 0, calls: 0 });
      const days = (manifest?.days ?? []).filter(({ day }) => day >= from);
      const read = [];
      for await (const day of source.days([{ ref: MAY, days, columns }]))
        read.push(day.columns.get(columns[0])?.length);
      expect(read).toHaveLength(31 - from);
      expect(meter).toMatchObject({ calls: 1, readUnits: 1 }); // 30 days of 160 bytes: 4.8 KB
    }
  });

  test('a load of the same days, in any number of loads, writes nothing', async () => {
    const days = [1, 2, 3].map((day) => [MAY, day, dayOf(day, { clicks: 60 })] as const);
    await load(days);
    const before = (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
    expect(await load(days)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(await load(days.slice(1, 2))).toEqual(['unchanged']);
    expect((await made.content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual(before);
  });

  test('a report, and a load of some of the days, throw STORE_INCONSISTENT if the item is missing; a load of all days restores it', async () => {
    const days = [1, 2, 3].map((day) => [MAY, day, dayOf(day, { clicks: 60 })] as const);
    await load(days);
    await made.table.delete(monthItemKey(MAY, (await readCommit(made.table)).commit));
    const inconsistent = { code: 'STORE_INCONSISTENT' };
    await expect(expectFacts(await openSource(), new Map([[MAY, new Map()]]))).rejects.toMatchObject(inconsistent);
    const writer = await begin();
    const facts = new FactWriter(writer);
    await facts.writeDay(MAY, 1, dayOf(9, { clicks: 60 }));
    await expect(facts.finish()).rejects.toMatchObject(inconsistent);
    await writer.abandon();
    const restored = days.map(([ref, day]) => [ref, day, dayOf(day + 5, { clicks: 50 })] as const);
    await load(restored);
    await expectFacts(await openSource(), new Map([[MAY, new Map(restored.map(([, day, facts]) => [day, facts]))]]));
  });

  test.each([1, 2])('random loads, also interrupted ones, leave what a plain model has (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    let model: Model = new Map(REFS.map((ref) => [ref, new Map()]));
    for (let step = 0; step < 20; step++) {
      const changes = randomChanges(random, model);
      const after = applied(model, changes);
      const source = await openSource();
      const { commit } = await readCommit(made.table);
      const end = random.pick(['committed', 'committed', 'committed', 'abandoned', 'killed']);
      if (end === 'committed') {
        await load(changes);
      } else if (end === 'abandoned') {
        const writer = await begin();
        await write(new FactWriter(writer), changes);
        await writer.abandon();
      } else {
        await load(changes, dieAtCall(made.table, 2 + random.int(30))).catch(() => undefined);
        await expireLease(made.table);
      }
      const isCommitted = end === 'committed' || (await readCommit(made.table)).commit > commit;
      await expectFacts(source, model); // a reader that began before the load
      if (isCommitted) model = after;
      await expectFacts(await openSource(), model);
      if (random.chance(0.7)) await collectGarbage();
    }
    await collectGarbage();
    expect(await countItems()).toBe(expectedItems(model));
  });
});

/** Expects that the source has these days of the partitions, with their exact bytes, and no other days. */
async function expectFacts(source: SegmentSource, model: Model): Promise<void> {
  const refs = [...model.keys()];
  const manifests = await source.manifests(refs);
  for (const ref of refs) {
    const days = manifests.find((manifest) => manifest.ref === ref)?.days ?? [];
    const names = [...new Set(days.flatMap(({ columns }) => [...columns.keys()]))];
    const read: unknown[] = [];
    for await (const { entry, columns } of source.days([{ ref, days, columns: names }])) {
      read.push([entry.day, entry.rows, digestBytes(columns)]);
    }
    const expected = [...(model.get(ref) ?? [])].sort(([a], [b]) => a - b);
    expect(read).toEqual(
      expected.map(([day, { rows, columns }]) => {
        const bytes = new Map([...columns].map(([name, column]) => [name, column.bytes]));
        return [day, rows, digestBytes(bytes)];
      }),
    );
  }
}

function randomChanges(random: Random, model: Model): Change[] {
  return random.sample(REFS, 1 + random.int(2)).flatMap((ref) =>
    random
      .sample(
        Array.from({ length: 30 }, (_, i) => 1 + i),
        1 + random.int(30, 2),
      )
      .map((day): Change => {
        const seed = 1 + random.int(1_000);
        const kind = random.int(40);
        if (kind < 6) return [ref, day, EMPTY];
        if (kind < 12) return [ref, day, model.get(ref)?.get(day) ?? EMPTY];
        if (kind === 12) return [ref, day, dayOf(seed, { clicks: random.int(400_000), cost: 9 })];
        if (kind === 13) return [ref, day, dayOf(seed, { clicks: random.int(9_000), hour: 300 })];
        return [ref, day, dayOf(seed, { clicks: random.int(200), cost: 30, [`column_${random.int(3)}`]: 40 })];
      }),
  );
}

function applied(model: Model, changes: readonly Change[]): Model {
  const after = new Map([...model].map(([ref, days]) => [ref, new Map(days)]));
  for (const [ref, day, facts] of changes) {
    if (facts.rows === 0) after.get(ref)?.delete(day);
    else after.get(ref)?.set(day, facts);
  }
  return after;
}

/** @returns the number of items with facts: one per small month; in other months, one per small day, and one per chunk of the columns of other days */
function expectedItems(model: Model): number {
  let items = 0;
  for (const days of model.values()) {
    const sizes = [...days.values()].map(({ columns }) => [...columns.values()].map(({ bytes }) => bytes.length));
    const payload = sizes.flat().reduce((sum, size) => sum + Math.max(0, size - HEADER), 0);
    if (sizes.length === 0) continue;
    if (payload <= MAX_PAYLOAD) items += 1;
    else for (const ofDay of sizes) items += itemsOfDay(ofDay);
  }
  return items;
}

/** Random bytes do not compress, so a day is small if its columns and zstd's few bytes take at most 8 KiB. */
function itemsOfDay(sizes: readonly number[]): number {
  if (sizes.reduce((sum, size) => sum + size, 0) <= 8 * 1024 - 20) return 1;
  return sizes.reduce((sum, size) => sum + Math.ceil(size / (350 * 1024)), 0);
}
