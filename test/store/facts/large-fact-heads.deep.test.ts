import { describe, expect, test } from 'vitest';
import { EXPERIENCES } from '../../../shared/catalog/tables.ts';
import type { MonthRef, RollupEntry } from '../../../shared/layout/partitions.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { HEAD_COLUMN } from '../../../shared/store/facts/fact-heads.ts';
import { readFactHeads } from '../../../shared/store/facts/manifests.ts';
import { writeFactHeads } from '../../../shared/store/facts/write-fact-heads.ts';
import { sizeOf } from '../../../shared/store/table/item.ts';
import { factHeadRef } from '../../../shared/store/table/item-keys.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { ENGINES } from '../../support/table.ts';
import { useTablePerTest } from '../../support/use-engine.ts';

/** Columns of a rollup. */
const COLUMNS = 23;

/** @returns the first `count` months from 2000 on, of each of the three experiences */
const monthsOf = (count: number): MonthRef[] =>
  EXPERIENCES.flatMap((experience) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ advertiserId: 10, experience },
      month: `${2000 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
    })),
  );

describe.each(ENGINES)('the fact head of a large advertiser on %s', (engine) => {
  const made = useTablePerTest(engine);
  const random = randomFrom(1);
  let now = Date.now();

  /** Loads the months of an advertiser with their rollups, whose measures are stored separately. */
  const load = async (refs: readonly MonthRef[], end: 'finish' | 'abandon' = 'finish'): Promise<void> => {
    now += 1_000;
    const writer = await beginCommit(made.table, { owner: 'the test', clock: () => now });
    const entry = (): RollupEntry => {
      const columns = Array.from(
        { length: COLUMNS },
        (_, i) => [`delivery/measure_${i}`, 80 + random.int(9_500)] as const,
      );
      return {
        ...{ version: writer.n, bytes: random.int(60_000), rows: new Map([['delivery', 9_000]]) },
        columns: new Map(columns),
      };
    };
    const rollups = refs.map((ref) => ({ ref, entry: entry() }));
    const partitions = refs.map((ref) => ({
      ref: { ...ref, table: 'delivery' as const },
      before: [],
      unmeasured: new Map(),
      withData: [],
      lists: new Map([[1, 'delivery' as const]]),
    }));
    await writeFactHeads(writer, { partitions, rollups });
    await writer[end]();
  };
  const headAt = async (state: Awaited<ReturnType<typeof readCommit>>) =>
    (await readFactHeads(made.table, [10], state)).get(10);
  const chunks = () => made.table.query({ pk: factHeadRef(10).columnPk(HEAD_COLUMN), consistent: true });

  /** 24 months of three experiences made the eleventh load within a minute fail, and 640 months every load for ever. */
  test('takes every load, and readers see the version of their commit', async () => {
    const months = monthsOf(60);
    await load(months);
    const before = await readCommit(made.table);
    const first = await headAt(before);
    expect(first?.rollups?.get('pla')?.size).toBe(60);
    for (let i = 0; i < 20; i++) await load([months[i * 7] ?? months[0]] as MonthRef[]);
    const item = await made.table.get(factHeadRef(10).head, { consistent: true });
    expect(sizeOf(item ?? { pk: '', sk: '' })).toBeLessThan(10_000);
    expect(await headAt(before)).toEqual(first);
    const last = await headAt(await readCommit(made.table));
    expect(last?.rollups?.get('pla')?.get('2000-01')?.version).toBeGreaterThan(1);
    expect(last?.rollups?.get('carousel')?.get('2004-12')).toEqual(first?.rollups?.get('carousel')?.get('2004-12'));
  });

  test('leaves the chunks of the visible version only, after a load that was abandoned and when a minute is over', async () => {
    const months = monthsOf(144);
    await load(months);
    const head = await headAt(await readCommit(made.table));
    const stored = await chunks();
    expect(stored.length).toBeGreaterThan(0);
    await load(months.slice(0, 1), 'abandon');
    expect(await chunks()).toEqual(stored);
    expect(await headAt(await readCommit(made.table))).toEqual(head);
    await load(months.slice(0, 1));
    now += 61_000;
    await load(months.slice(1, 2));
    now += 61_000;
    await load([{ ...(months[0] as MonthRef), advertiserId: 11 }]);
    const commit = await readCommit(made.table);
    expect((await headAt(commit))?.rollups?.get('pla')?.size).toBe(144);
    const left = await chunks();
    expect(left).toHaveLength(stored.length);
    expect(new Set(left.map(({ sk }) => sk.split('#')[0])).size).toBe(1); // the number of the load
  });

  test('is one item where it is small, which readers get in one call', async () => {
    await load(monthsOf(1));
    expect(await chunks()).toEqual([]);
    const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const commit = await readCommit(made.table);
    await readFactHeads(made.table.metered(meter), [10], commit);
    expect(meter.calls).toBe(1);
  });
});
