import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { NO_DEADLINE } from '../../../shared/lib/deadline.ts';
import { ReportRows } from '../../../shared/report/finish/report-rows.ts';
import { shapeRows } from '../../../shared/report/finish/shape-rows.ts';
import { sortKeys } from '../../../shared/report/finish/sort-keys.ts';
import { ReportMemory } from '../../../shared/report/guard/report-memory.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';

const GROUPS = 2_500;
const groups = Uint32Array.from({ length: GROUPS }, (_, i) => i + 1);
const query: ReportQuery = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions', 'clicks'],
  dimensions: [],
  filters: [],
  sort: [],
  pagination: { offset: 0, size: 10 },
};

/** A memory that records what is held. */
class CountedMemory extends ReportMemory {
  held = 0;
  max = 0;
  override hold(bytes: number): void {
    super.hold(bytes);
    this.held += bytes;
    this.max = Math.max(this.max, this.held);
  }
}

/** @returns the rows of 2,500 groups, last group first; `made` counts values */
function openRows(memory = new CountedMemory()) {
  const counts = { made: 0 };
  const derive = () => (group: number) => {
    counts.made++;
    return group;
  };
  const keys = [(group: number) => -group];
  return { rows: new ReportRows({ groups, keys }, query, [], derive, memory), counts, memory };
}

describe('the rows of a report', () => {
  test('are made a thousand at a time for the cache, which once held all rows of a report as objects', () => {
    const { rows, counts, memory } = openRows();
    const parts: [first: unknown, length: number, made: number][] = [];
    for (const part of rows.parts(GROUPS, NO_DEADLINE)) parts.push([part[0]?.[0], part.length, counts.made]);
    expect(parts).toEqual([
      [2_500, 1_000, 2_000],
      [1_500, 1_000, 4_000],
      [500, 500, 5_000],
    ]);
    expect([memory.held, memory.max]).toEqual([0, 1_000 * (32 + 24 * 2)]); // 32 bytes per row and 24 per value
  });

  test('are no longer held when the cache takes no more', () => {
    const { rows, memory } = openRows();
    for (const part of rows.parts(GROUPS, NO_DEADLINE)) {
      expect(part).toHaveLength(1_000);
      break;
    }
    expect(memory.held).toBe(0);
  });

  test('are sampled from all of the report', () => {
    const sample = openRows().rows.sample(5, NO_DEADLINE);
    expect(sample).toEqual([2_001, 1_501, 1_001, 501, 1].map((value) => [value, value]));
    expect(openRows().rows.sample(10_000, NO_DEADLINE)).toHaveLength(GROUPS);
  });

  test('of a page count as memory of the report', () => {
    const { rows, memory } = openRows();
    expect(rows.page(10, 2, NO_DEADLINE)).toEqual([
      { impressions: 2_490, clicks: 2_490 },
      { impressions: 2_489, clicks: 2_489 },
    ]);
    expect(memory.held).toBe(2 * (32 + 24 * 2));
    memory.hold(1_099_990_000);
    expect(() => rows.page(0, 1_000, NO_DEADLINE)).toThrow('takes more than 1,100 MB of memory');
  });
});

describe('an object of many fields', () => {
  test('is no hash table: 100,000 rows of 98 fields took 653 MB and 7.7 s', () => {
    setFlagsFromString('--allow-natives-syntax');
    const isFast = runInThisContext('(row) => %HasFastProperties(row)') as (row: object) => boolean;
    const names = Array.from({ length: 98 }, (_, i) => `field_${i}`);
    const shape = shapeRows(names);
    const rows = [0, 0.5, null, 'text'].map((value) => shape((column) => (column === 50 ? value : column)));
    expect(rows.map(isFast)).toEqual([true, true, true, true]);
    expect(rows.map(({ field_50: value }) => value)).toEqual([0, 0.5, null, 'text']);
    expect(Object.keys(rows[3] ?? {})).toEqual(names);
  });
});

describe('the sort keys of groups', () => {
  const sort = METRIC_NAMES.slice(0, 40).map((field) => ({ field, order: 'ASC' }) as const);
  const held = (undefinedMetrics: readonly (typeof METRIC_NAMES)[number][]) => {
    const memory = new CountedMemory();
    const undefinedOnes = new Map(undefinedMetrics.map((name) => [name, { code: 'NO_USERS', detail: '', drop: [] }]));
    const plan = { query: { ...query, sort }, undefinedMetrics: undefinedOnes as never }; // only its keys are read
    let read = 0;
    const derive = () => () => {
      read++;
      return 1;
    };
    const keys = sortKeys({ plan, groups, dimensions: [], derive, memory, deadline: NO_DEADLINE });
    return { bytes: memory.held, read, keys: keys.length };
  };

  test('count as memory of the report', () => {
    const { bytes, keys } = held([]);
    expect(keys).toBe(40);
    expect(bytes).toBeGreaterThanOrEqual(40 * 8 * (GROUPS + 1));
  });

  test('are not made for a metric that is null in all groups', () => {
    expect(held(METRIC_NAMES)).toEqual({ bytes: 0, read: 0, keys: 0 });
  });
});
