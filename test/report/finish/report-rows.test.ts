import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { Deadline, NO_DEADLINE } from '../../../shared/lib/deadline.ts';
import { shapeRows } from '../../../shared/lib/shape-rows.ts';
import { ReportRows } from '../../../shared/report/finish/report-rows.ts';
import { sortKeys } from '../../../shared/report/finish/sort-keys.ts';
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

/** @returns the rows of 2,500 groups, last group first; `made` counts values */
function openRows() {
  const counts = { made: 0 };
  const read = (group: number) => {
    counts.made++;
    return group;
  };
  const keys = [(group: number) => -group];
  const columns = query.metrics.map((name) => ({ name, metric: name, read }));
  return { rows: new ReportRows({ groups, keys }, [], columns), counts };
}

describe('the rows of a report', () => {
  test('are made a thousand at a time for the cache, which once held all rows of a report as objects', () => {
    const { rows, counts } = openRows();
    const parts: [first: unknown, length: number, made: number][] = [];
    for (const part of rows.parts(GROUPS, NO_DEADLINE)) parts.push([part[0]?.[0], part.length, counts.made]);
    expect(parts).toEqual([
      [2_500, 1_000, 2_000],
      [1_500, 1_000, 4_000],
      [500, 500, 5_000],
    ]);
  });

  test('of a page have the fields by name', () => {
    expect(openRows().rows.page(10, 2, NO_DEADLINE)).toEqual([
      { impressions: 2_490, clicks: 2_490 },
      { impressions: 2_489, clicks: 2_489 },
    ]);
  });

  test('end at the deadline: a page is an error, and the cache gets what was made so far', () => {
    const late = new Deadline(0, () => 1);
    expect(() => openRows().rows.page(0, 10, late)).toThrow('not ready in time');
    let now = 0;
    const parts = openRows().rows.parts(GROUPS, new Deadline(1, () => now));
    expect(parts.next().value).toHaveLength(1_000);
    now = 1;
    expect(parts.next().done).toBe(true);
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

test('a metric that is null in all groups has no sort key', () => {
  const sort = METRIC_NAMES.slice(0, 40).map((field) => ({ field, order: 'ASC' }) as const);
  const undefinedMetrics = new Map(METRIC_NAMES.map((name) => [name, { code: 'NO_USERS', detail: '', drop: [] }]));
  const keysWith = (undefinedOnes: ReadonlyMap<string, unknown>) =>
    sortKeys({
      plan: { query: { ...query, sort }, undefinedMetrics: undefinedOnes as never }, // only its keys are read
      ...{ groups, dimensions: [], derive: () => () => 1 },
    }).length;
  expect([keysWith(new Map()), keysWith(undefinedMetrics)]).toEqual([40, 0]);
});
