import { beforeEach, expect, test, vi } from 'vitest';
import type { ReportInput } from '../../../shared/report/query/report-input.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';
import { adGroup, TEN_PER_DAY } from '../figures/budgets.ts';
import { run } from '../figures/run.ts';

const UNLIMITED = { MAX_CELLS: 1e9, MAX_VALUES: 1e9, MAX_NAMES: 1e9 };
const limits = vi.hoisted(() => ({ MAX_CELLS: 0, MAX_VALUES: 0, MAX_NAMES: 0 }));
vi.mock(import('../../../shared/report/query/too-expensive.ts'), async (original) =>
  Object.defineProperties(
    { ...(await original()) },
    {
      MAX_CELLS: { get: () => limits.MAX_CELLS },
      MAX_VALUES: { get: () => limits.MAX_VALUES },
      MAX_NAMES: { get: () => limits.MAX_NAMES },
    },
  ),
);

const heap = vi.hoisted(() => ({ report: 0, caches: 0, garbage: 0, collections: 0 }));
vi.mock(import('node:v8'), async (original) => {
  const v8 = await original();
  const getHeapStatistics = () => ({
    ...v8.getHeapStatistics(),
    ...{ used_heap_size: heap.report + heap.caches, external_memory: heap.garbage },
  });
  return { ...v8, getHeapStatistics };
});

beforeEach(() => {
  Object.assign(limits, UNLIMITED);
  Object.assign(heap, { report: 0, caches: 0, garbage: 0, collections: 0 });
  globalThis.gc = async () => {
    heap.collections += 1;
    if (heap.collections % 2 === 0) heap.garbage = 0;
  };
});

const ids = Array.from({ length: 2_000 }, (_, i) => i + 1);
const textOf = (id: number, length: number) => String(id).padStart(length, 'x');
const delivery = ids.map((id) => ({
  ...{ date: '2025-03-04', hour: id % 24, ad_group_id: id, placement_id: 1, keyword: textOf(id, 4), impressions: 1 },
}));
const named = dataset({ delivery, ad_groups: ids.map((id) => ({ ...adGroup(id, {}), name: textOf(id, 100) })) });

/** Each of these once took more memory than the function has. */
test.each([
  ['groups', { MAX_CELLS: 7 * 2_000 }, dataset({ delivery }), { dimensions: ['keyword'] }],
  [
    'groups of two periods',
    { MAX_CELLS: 2 * 13 * 2_000 },
    dataset({ delivery }),
    { dimensions: ['keyword'], compare: { startDate: '2025-02-01', endDate: '2025-02-28' } },
  ],
  ['values', { MAX_VALUES: 2_000 }, dataset({ delivery }), { dimensions: ['keyword'] }],
  ['names', { MAX_NAMES: 4_000 }, named, { dimensions: ['ad_group_name'] }],
  [
    'budgets',
    { MAX_NAMES: 22_011 },
    dataset({ delivery, ad_groups: ids.map((id) => adGroup(id, TEN_PER_DAY)) }),
    { metrics: ['pacing'] },
  ],
  ['slices of share_of_voice', { MAX_VALUES: 2_000 }, dataset({ delivery }), { metrics: ['share_of_voice'] }],
  ['cells of share_of_voice', { MAX_CELLS: 6 * 2_000 }, dataset({ delivery }), { metrics: ['share_of_voice'] }],
] as const)('a report of too many %s is rejected', async (_, exact, data, query) => {
  const parts = { metrics: ['impressions'], ...query } as const;
  const [[name, max] = ['', 0]] = Object.entries(exact);
  Object.assign(limits, exact);
  expect((await run(data, parts)).totalCount).toBeGreaterThan(0);
  Object.assign(limits, { [name]: max - 1 });
  await expect(run(data, parts)).rejects.toMatchObject({ code: 'REPORT_TOO_EXPENSIVE', status: 422 });
  expect((await run(data, { metrics: ['impressions'] })).totalCount).toBe(1);
});

/** @returns a report of ten days, each of which adds to the memory, and how often it emptied the caches and read a day */
async function runGrowing(bytesPerDay: number) {
  const days = Array.from({ length: 10 }, (_, i) => ({ date: `2025-03-${i + 10}`, impressions: 1 }));
  const source = await storedSource(dataset({ delivery: days }), { rollups: false, daysPerRun: 1 });
  const counts = { emptied: 0, days: 0 };
  const input: ReportInput = {
    query: {
      ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: ['impressions'] },
      ...{ dimensions: ['daily_date'], filters: [], sort: [], pagination: { offset: 0, size: 10 } },
    },
    ...{ scope: { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] }, settings: SETTINGS },
    source: {
      ...source,
      emptyCaches: () => {
        counts.emptied += 1;
        heap.garbage += heap.caches;
        heap.caches = 0;
      },
      async *runs(reads: Parameters<typeof source.runs>[0]) {
        for await (const day of source.runs(reads)) {
          counts.days += 1;
          heap.report += bytesPerDay;
          yield day;
        }
      },
    },
  };
  const report = await runReport(input).catch((error: unknown) => error);
  return { report, ...counts };
}

test('a report passes whatever caches and garbage there are of others, which are freed', async () => {
  const alone = await runGrowing(90e6);
  expect(alone).toMatchObject({ report: { totalCount: 10 }, emptied: 0, days: 10 });
  Object.assign(heap, { report: 0, caches: 400e6, garbage: 700e6 });
  const after = await runGrowing(90e6);
  expect(after).toEqual({ ...alone, emptied: 1 });
  expect(heap).toEqual({ report: 900e6, caches: 0, garbage: 0, collections: 6 });
});

test('a report that takes too much memory is rejected between two days', async () => {
  const { report, ...counts } = await runGrowing(201e6);
  expect(report).toMatchObject({ code: 'REPORT_TOO_EXPENSIVE', status: 422 });
  expect(counts).toEqual({ emptied: 1, days: 5 });
});
