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
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';
import { rowsOf } from '../fact-days.ts';

const MAY: PartitionRef = { advertiserId: 7, experience: 'pla', table: 'delivery', month: '2026-05' };
const MINUTE = 60_000;
/** A run has at most so many rows. */
const MAX_ROWS = 8_192;

type Day = readonly [number, BuiltDay];

describe.each(ENGINES)('runs of days on %s', (name) => {
  const made = useTablePerTest(name);
  let now = 0;

  const begin = () => beginCommit(made.table, { owner: 'the test', clock: () => now });

  const load = async (days: readonly Day[]) => {
    const writer = await begin();
    const facts = new FactWriter(writer);
    const outcomes = await Promise.all(days.map(([day, built]) => facts.writeDay(MAY, day, built)));
    await facts.finish();
    await writer.finish();
    return outcomes;
  };

  /** Deletes what earlier loads have superseded. */
  const collectGarbage = async () => {
    now += MINUTE;
    await (await begin()).finish();
  };

  const openSource = async () => openSegmentSource(made.table, await readCommit(made.table));

  /** @returns the days of each run */
  const runsOf = async () => {
    const [manifest] = await (await openSource()).manifests([MAY]);
    return (manifest?.runs ?? []).map(({ days }) => days.map(({ day }) => day));
  };

  /** @returns the number of items with facts */
  const countItems = async () => {
    const prefix = `${manifestKey(MAY).pk}#`;
    return (await made.content()).filter(({ pk }) => pk.startsWith(prefix)).length;
  };

  test('small days become one run, whether they are loaded together or one by one; its shoppers are an item of their own', async () => {
    const days = Array.from({ length: 30 }, (_, i) => [1 + i, rowsOf(1 + i, 100, true)] as const);
    await load(days.slice(0, 20));
    expect(await countItems()).toBe(2);
    for (const day of days.slice(20, 25)) await load([day]);
    await load(days.slice(25));
    await collectGarbage();
    expect(await runsOf()).toEqual([days.map(([day]) => day)]);
    expect(await countItems()).toBe(2);
    await expectFacts(await openSource(), days);
  });

  test('a run has at most 8,192 rows, and a load writes only runs again that have or join changed days', async () => {
    const days = Array.from({ length: 10 }, (_, i) => [1 + i, rowsOf(1 + i, 2_000)] as const);
    await load(days);
    expect(await runsOf()).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7, 8],
      [9, 10],
    ]);
    const versions = async () => (await (await openSource()).manifests([MAY]))[0]?.runs.map(({ version }) => version);
    const added = [11, rowsOf(11, 2_000)] as const;
    await load([added]);
    expect(await versions()).toEqual([1, 1, 2]);
    const changed = [6, rowsOf(99, 4_000)] as const;
    await load([changed]);
    expect(await runsOf()).toEqual([
      [1, 2, 3, 4],
      [5, 6, 7],
      [8, 9, 10, 11],
    ]);
    expect(await versions()).toEqual([1, 3, 3]);
    await expectFacts(await openSource(), [...days, added, changed]);
  });

  test('a day that is too large has a run of its own, and its neighbours may join when it is gone, of which nothing is left', async () => {
    const small = [1, 2, 4].map((day) => [day, rowsOf(day, 50)] as const);
    const large: Day = [3, rowsOf(3, MAX_ROWS + 1)];
    await load(small);
    await load([large]);
    expect(await runsOf()).toEqual([[1, 2], [3], [4]]);
    await expectFacts(await openSource(), [...small, large]);
    await load([[3, EMPTY_DAY]]);
    const changed = [4, rowsOf(9, 60)] as const;
    await load([changed]);
    expect(await runsOf()).toEqual([[1, 2, 4]]);
    await expectFacts(await openSource(), [...small, changed]);
    await collectGarbage();
    expect(await countItems()).toBe(1);
  });

  test('days with other columns are in another run', async () => {
    const days = [1, 2, 3].map((day) => [day, rowsOf(day, 10, day === 2)] as const);
    await load(days);
    expect(await runsOf()).toEqual([[1], [2], [3]]);
    await expectFacts(await openSource(), days);
  });

  test('any columns of such runs are read with one call', async () => {
    await load(Array.from({ length: 30 }, (_, i) => [1 + i, rowsOf(1 + i, 20, true)]));
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const source = openSegmentSource(made.table.metered(meter), await readCommit(made.table));
    const [manifest] = await source.manifests([MAY]);
    for (const columns of [['clicks'], ['hour', 'clicks', 'cost'], ['cost', 'users_1']]) {
      Object.assign(meter, { readUnits: 0, calls: 0 });
      const read = await Array.fromAsync(source.runs([{ ref: MAY, runs: manifest?.runs ?? [], columns }]));
      expect(read.map((run) => [...run.columns.keys()].sort())).toEqual([columns.toSorted()]);
      expect(meter.calls).toBe(1);
    }
  });

  test('a load of the same days, in any number of loads, writes nothing', async () => {
    const days = [1, 2, 3].map((day) => [day, rowsOf(day, 60, true)] as const);
    await load(days);
    const before = (await made.content()).filter(({ pk }) => pk !== 'COMMIT');
    expect(await load(days)).toEqual(['unchanged', 'unchanged', 'unchanged']);
    expect(await load(days.slice(1, 2))).toEqual(['unchanged']);
    expect((await made.content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual(before);
  });

  test('a report, and a load of some of its days, throw STORE_INCONSISTENT if a run is missing; a load of all days restores it', async () => {
    const days = [1, 2, 3].map((day) => [day, rowsOf(day, 60)] as const);
    await load(days);
    await made.table.delete(segmentKey(packPk(MAY, 'facts'), 1, (await readCommit(made.table)).commit, 0));
    const inconsistent = { code: 'STORE_INCONSISTENT' };
    await expect(expectFacts(await openSource(), days)).rejects.toMatchObject(inconsistent);
    const writer = await begin();
    const facts = new FactWriter(writer);
    await facts.writeDay(MAY, 1, rowsOf(9, 60));
    await expect(facts.finish()).rejects.toMatchObject(inconsistent);
    await writer.abandon();
    const restored = days.map(([day]) => [day, rowsOf(day + 5, 50)] as const);
    await load(restored);
    await expectFacts(await openSource(), restored);
  });
});

/** Expects that the source has these days, of equal days the last, and no others. */
async function expectFacts(source: SegmentSource, days: readonly Day[]): Promise<void> {
  const runs = (await source.manifests([MAY])).flatMap((manifest) => manifest.runs);
  const columns = [...new Set(runs.flatMap((run) => [...run.columns.keys()]))];
  const read = new Map<number, unknown>();
  for await (const run of source.runs([{ ref: MAY, runs, columns }])) {
    for (const [day, facts] of decodeDays(run)) read.set(day, plainRows(facts));
  }
  expect(read).toEqual(new Map(days.map(([day, { content }]) => [day, plainRows(rowsIn(content))])));
  expect(daysIn(runs).map(({ day }) => day)).toEqual([...read.keys()].sort((a, b) => a - b));
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
