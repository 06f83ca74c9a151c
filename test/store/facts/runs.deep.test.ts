import { describe, expect, test } from 'vitest';
import { type FactRows, keysOf, sortedKeyColumns } from '../../../shared/columns/build-day.ts';
import { decodeRows } from '../../../shared/columns/rollup.ts';
import { type BuiltDay, decodeDays, EMPTY_DAY } from '../../../shared/columns/runs.ts';
import { daysIn, type PartitionRef } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { manifestKey, packPk, segmentKey } from '../../../shared/store/table/item-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { type Random, randomFrom } from '../../oracle/random/random.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { rowsOf } from '../fact-days.ts';
import { dieAtCall, expireLease } from '../sample-load.ts';

const MAY: PartitionRef = { advertiserId: 7, experience: 'pla', table: 'delivery', month: '2026-05' };
const JUNE: PartitionRef = { ...MAY, month: '2026-06' };
const REFS = [MAY, JUNE, { ...MAY, advertiserId: 8 }] as const;
const MINUTE = 60_000;
/** A run has at most so many rows. */
const MAX_ROWS = 8_192;

/** The days of each partition. */
type Model = ReadonlyMap<PartitionRef, ReadonlyMap<number, BuiltDay>>;
type Change = readonly [PartitionRef, number, BuiltDay];

describe.each(ENGINES)('runs of days on %s', (name) => {
  const made = useTablePerTest(name);
  let now = 0;

  const begin = (table: Table = made.table) => beginCommit(table, { owner: 'the test', clock: () => now });

  const write = async (facts: FactWriter, changes: readonly Change[]) => {
    const outcomes = await Promise.all(changes.map(([ref, day, built]) => facts.writeDay(ref, day, built)));
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

  /** @returns the days of each run */
  const runsOf = async (ref: PartitionRef) => {
    const [manifest] = await (await openSource()).manifests([ref]);
    return (manifest?.runs ?? []).map(({ days }) => days.map(({ day }) => day));
  };

  /** @returns the number of items with facts */
  const countItems = async (ref: PartitionRef) => {
    const prefix = `${manifestKey(ref).pk}#`;
    return (await made.content()).filter(({ pk }) => pk.startsWith(prefix)).length;
  };

  test('small days become one run, whether they are loaded together or one by one; its shoppers are an item of their own', async () => {
    const days = Array.from({ length: 30 }, (_, i) => [MAY, 1 + i, rowsOf(1 + i, 100, true)] as const);
    await load(days.slice(0, 20));
    expect(await countItems(MAY)).toBe(2);
    for (const day of days.slice(20, 25)) await load([day]);
    await load(days.slice(25));
    await collectGarbage();
    expect(await runsOf(MAY)).toEqual([days.map(([, day]) => day)]);
    expect(await countItems(MAY)).toBe(2);
    await expectFacts(await openSource(), modelOf(days));
  });

  test('a run has at most 8,192 rows, and a load writes only runs again that have or join changed days', async () => {
    const days = Array.from({ length: 10 }, (_, i) => [MAY, 1 + i, rowsOf(1 + i, 2_000)] as const);
    await load(days);
    expect(await runsOf(MAY)).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10],
    ]);
    const versions = async () => (await (await openSource()).manifests([MAY]))[0]?.runs.map(({ version }) => version);
    const added = [MAY, 11, rowsOf(11, 2_000)] as const;
    await load([added]);
    expect(await versions()).toEqual([1, 1, 2]);
    const changed = [MAY, 6, rowsOf(99, 4_000)] as const;
    await load([changed]);
    expect(await runsOf(MAY)).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7],
      [8, 9, 10, 11],
    ]);
    expect(await versions()).toEqual([1, 3, 3]);
    await expectFacts(await openSource(), modelOf([...days, added, changed]));
  });

  test('a day that is too large has a run of its own, and its neighbours may join when it is gone', async () => {
    const small = [1, 2, 4].map((day) => [MAY, day, rowsOf(day, 50)] as const);
    const large: Change = [MAY, 3, rowsOf(3, MAX_ROWS + 1)];
    await load(small);
    await load([large]);
    expect(await runsOf(MAY)).toEqual([[1, 2], [3], [4]]);
    await expectFacts(await openSource(), modelOf([...small, large]));
    await load([[MAY, 3, EMPTY_DAY]]);
    const changed = [MAY, 4, rowsOf(9, 60)] as const;
    await load([changed]);
    expect(await runsOf(MAY)).toEqual([[1, 2, 4]]);
    await expectFacts(await openSource(), modelOf([...small, changed]));
  });

  test('days with other columns are in another run', async () => {
    const days = [1, 2, 3].map((day) => [MAY, day, rowsOf(day, 10, day === 2)] as const);
    await load(days);
    expect(await runsOf(MAY)).toEqual([[1], [2], [3]]);
    await expectFacts(await openSource(), modelOf(days));
  });

  test('any columns of such runs are read with one call', async () => {
    await load(Array.from({ length: 30 }, (_, i) => [MAY, 1 + i, rowsOf(1 + i, 20, true)]));
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const source = await openSource(made.table.metered(meter));
    const [manifest] = await source.manifests([MAY]);
    for (const columns of [['clicks'], ['hour', 'clicks', 'cost'], ['cost', 'users_1']]) {
      Object.assign(meter, { readUnits: 0, calls: 0 });
      const read = await Array.fromAsync(source.runs([{ ref: MAY, runs: manifest?.runs ?? [], columns }]));
      expect(read.map((run) => [...run.columns.keys()].sort())).toEqual([columns.toSorted()]);
      expect(meter.calls).toBe(1);
    }
  });

  test('a load of the same days, in any number of loads, writes nothing', async () => {
    const days = [1, 2, 3].map((day) => [MAY, day, rowsOf(day, 60, true)] as const);
    await load(days);
    const before = (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
    expect(await load(days)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(await load(days.slice(1, 2))).toEqual(['unchanged']);
    expect((await made.content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual(before);
  });

  test('a report, and a load of some of its days, throw STORE_INCONSISTENT if a run is missing; a load of all days restores it', async () => {
    const days = [1, 2, 3].map((day) => [MAY, day, rowsOf(day, 60)] as const);
    await load(days);
    await made.table.delete(segmentKey(packPk(MAY, 'facts'), 1, (await readCommit(made.table)).commit, 0));
    const inconsistent = { code: 'STORE_INCONSISTENT' };
    await expect(expectFacts(await openSource(), modelOf(days))).rejects.toMatchObject(inconsistent);
    const writer = await begin();
    const facts = new FactWriter(writer);
    await facts.writeDay(MAY, 1, rowsOf(9, 60));
    await expect(facts.finish()).rejects.toMatchObject(inconsistent);
    await writer.abandon();
    const restored = days.map(([ref, day]) => [ref, day, rowsOf(day + 5, 50)] as const);
    await load(restored);
    await expectFacts(await openSource(), modelOf(restored));
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
    for (const ref of REFS) {
      const [manifest] = await (await openSource()).manifests([ref]);
      const items = (manifest?.runs ?? []).flatMap(({ columns }) => {
        const packs = new Set(
          [...columns].flatMap(([column, { chunks }]) => (chunks === 0 ? column.slice(0, 5) === 'users' : [])),
        );
        return [packs.size, ...[...columns.values()].map(({ chunks }) => chunks)];
      });
      expect(await countItems(ref)).toBe(items.reduce((sum, count) => sum + count, 0));
    }
  });
});

function modelOf(changes: readonly Change[]): Model {
  return new Map([[MAY, new Map(changes.map(([, day, built]) => [day, built]))]]);
}

/** Expects that the source has these days of the partitions, with their rows, and no other days. */
async function expectFacts(source: SegmentSource, model: Model): Promise<void> {
  const refs = [...model.keys()];
  const manifests = await source.manifests(refs);
  for (const ref of refs) {
    const runs = manifests.find((manifest) => manifest.ref === ref)?.runs ?? [];
    const columns = [...new Set(runs.flatMap((run) => [...run.columns.keys()]))];
    const read = new Map<number, unknown>();
    for await (const run of source.runs([{ ref, runs, columns }])) {
      for (const [day, facts] of decodeDays(run)) read.set(day, plainRows(facts));
    }
    const expected = [...(model.get(ref) ?? [])].map(
      ([day, { content }]) => [day, plainRows(rowsIn(content))] as const,
    );
    expect(read).toEqual(new Map(expected));
    expect(daysIn(runs).map(({ day }) => day)).toEqual([...read.keys()].sort((a, b) => a - b));
  }
}

function rowsIn(content: BuiltDay['content']): FactRows {
  if (!('columns' in content)) return content;
  const columns = new Map([...content.columns].map(([name, { bytes }]) => [name, bytes]));
  return decodeRows(sortedKeyColumns('delivery'), 'delivery', columns, 'the model');
}

/** @returns the facts by column, with a digest of each */
function plainRows(facts: FactRows): unknown {
  const keys = sortedKeyColumns('delivery').map((name) => {
    const { dictionary, codes } = keysOf(facts, name);
    return [name, Array.from(codes, (code) => dictionary[code]).join()];
  });
  const measures = [...facts.measures].map(([name, values]) => [name, values.join()]);
  const { offsets, hashes } = facts.shoppers ?? { offsets: [], hashes: [] };
  return Object.fromEntries([...keys, ...measures, ['users', `${offsets.join()} ${hashes.join()}`]]);
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
        if (kind < 6) return [ref, day, EMPTY_DAY];
        if (kind < 12) return [ref, day, model.get(ref)?.get(day) ?? EMPTY_DAY];
        if (kind === 12) return [ref, day, rowsOf(seed, MAX_ROWS + random.int(2_000), true)];
        if (kind === 13) return [ref, day, rowsOf(seed, 1 + random.int(3_000))];
        return [ref, day, rowsOf(seed, 1 + random.int(200), random.chance(0.7))];
      }),
  );
}

function applied(model: Model, changes: readonly Change[]): Model {
  const after = new Map([...model].map(([ref, days]) => [ref, new Map(days)]));
  for (const [ref, day, built] of changes) {
    if (built.rows === 0) after.get(ref)?.delete(day);
    else after.get(ref)?.set(day, built);
  }
  return after;
}
