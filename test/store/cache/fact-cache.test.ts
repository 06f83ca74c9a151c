import { describe, expect, test } from 'vitest';
import { decodeColumn } from '../../../shared/columns/kept-columns.ts';
import { decodeMeasure, encodeMeasure } from '../../../shared/columns/measures.ts';
import { type PartitionRef, PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import { CacheBudget } from '../../../shared/lib/lru-cache.ts';
import { beginCommit, readCommit } from '../../../shared/store/commit/commits.ts';
import { FactWriter } from '../../../shared/store/facts/fact-writer.ts';
import { openSegmentSource, SourceCaches } from '../../../shared/store/segment-source.ts';
import type { Meter } from '../../../shared/store/table/table.ts';
import { useTable } from '../../support/use-engine.ts';
import { dayOf } from '../fact-days.ts';

const MAY: PartitionRef = {
  advertiserId: PLATFORM_ID,
  experience: 'pla',
  table: 'market',
  month: '2026-05',
};

describe('the cache of facts', () => {
  const made = useTable();
  const caches = new SourceCaches();

  const load = async (
    day: number,
    seed: number,
    sizes: Record<string, number> = { market_impressions: 70_000, hour: 66_000 },
  ) => {
    const writer = await beginCommit(made.table, { owner: 'the test' });
    const facts = new FactWriter(writer);
    await facts.writeDay(MAY, day, dayOf(seed, sizes));
    await facts.finish();
    await writer.finish();
  };

  /** @returns the days' columns as a report reads them, and the number of calls */
  const read = async (columns: readonly string[]) => {
    const source = openSegmentSource(made.table, await readCommit(made.table), caches);
    const [manifest] = await source.manifests([MAY]);
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const metered = openSegmentSource(made.table.metered(meter), await readCommit(made.table), caches);
    const days = [];
    for await (const read of metered.runs([{ ref: MAY, runs: manifest?.runs ?? [], columns }])) {
      days.push([read.run.day, Object.fromEntries(read.columns)]);
    }
    return { days, calls: meter.calls };
  };

  const plain = (seed: number, columns: readonly string[]) => {
    const given = dayOf(seed, { market_impressions: 70_000, hour: 66_000 }).content.columns;
    return Object.fromEntries(columns.map((column) => [column, given.get(column)?.bytes]));
  };

  test('reads only days of which a column is not cached, such as those that a load has written', async () => {
    await load(1, 1);
    await load(2, 2);
    const impressions = ['market_impressions'];
    const both = [...impressions, 'hour'];
    const first = await read(impressions);
    expect(first).toEqual({
      days: [
        [1, plain(1, impressions)],
        [2, plain(2, impressions)],
      ],
      calls: 1,
    });
    expect(await read(impressions)).toEqual({ ...first, calls: 0 });
    const wider = await read(both);
    expect(wider.calls).toBe(2);
    expect(wider.days).toEqual([
      [1, plain(1, both)],
      [2, plain(2, both)],
    ]);

    await load(2, 3);
    expect(await read(both)).toEqual({
      days: [
        [1, plain(1, both)],
        [2, plain(3, both)],
      ],
      calls: 1, // by key
    });
  });

  test('finds nothing in another table, whose loads have the same numbers', async () => {
    const state = await readCommit(made.table);
    const [manifest] = await openSegmentSource(made.table, state, caches).manifests([MAY]);
    const reads = [{ ref: MAY, runs: manifest?.runs ?? [], columns: ['market_impressions'] }];
    const isKept = (identity: string) =>
      reads.every((read) => openSegmentSource(made.table, { ...state, identity }, caches).isKept?.(read));
    expect(state.identity).toMatch(/^[0-9a-f-]{36}$/);
    expect(isKept(state.identity ?? '')).toBe(true);
    expect(isKept('another')).toBe(false);
  });

  test('keeps nothing of a report that would take more than half of it', async () => {
    for (const [bytes, isKept] of [
      [2_000_000, true],
      [1_000_000, false],
    ] as const) {
      const small = new SourceCaches(new CacheBudget(bytes));
      const source = openSegmentSource(made.table, await readCommit(made.table), small);
      const [manifest] = await source.manifests([MAY]);
      const read = { ref: MAY, runs: manifest?.runs ?? [], columns: ['market_impressions'] };
      expect(await Array.fromAsync(source.runs([read]))).toHaveLength(2);
      expect(source.isKept?.(read)).toBe(isKept);
      expect(small.facts.report()).toMatchObject({ hits: 0, misses: 2, evictions: 0 });
    }
  });

  test('counts what columns are decoded to, and forgets all on request', () => {
    const budget = new CacheBudget(300_000);
    const kept = new SourceCaches(budget);
    const values = Float64Array.from({ length: 10_000 }, (_, row) => row * row);
    const columns = new Map([['clicks', encodeMeasure(values)]]);
    const [own] = kept.facts.keep(new Map([['clicks', 'key']]), columns, 0).values();
    if (own === undefined) throw new Error('the column is not kept');
    const encoded = budget.size;
    const decoded = decodeColumn(own, 'clicks', decodeMeasure);
    expect(decodeColumn(own, 'clicks', decodeMeasure)).toBe(decoded);
    expect(budget.size - encoded).toBeGreaterThanOrEqual(80_000);
    kept.facts.empty();
    expect([budget.size, kept.facts.has('key')]).toEqual([0, false]);
  });
});
