import { expect, test, vi } from 'vitest';
import { ReportMemory } from '../../../shared/report/guard/report-memory.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const ROWS = 3_000;
const source = memorySource(
  dataset({
    delivery: Array.from({ length: ROWS }, (_, i) => ({
      ...{ date: '2025-03-03', keyword: `keyword ${i}`, users: Array.from({ length: 40 }, (__, u) => `user ${i + u}`) },
    })),
  }),
);

const query: ReportQuery = {
  ...{ experience: 'pla', startDate: '2025-03-03', endDate: '2025-03-03', metrics: ['unique_user_impressions'] },
  ...{ dimensions: ['keyword'], filters: [], sort: [], pagination: { offset: 0, size: 10 } },
};
const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
const run = () => runReport({ query, scope, settings: SETTINGS, source });

test('a report of too many users is rejected while they are counted: 2 GB of users once ended the function', async () => {
  let held: number[] = [];
  let limit = Number.POSITIVE_INFINITY;
  const hold = vi.spyOn(ReportMemory.prototype, 'hold').mockImplementation((bytes) => {
    held.push((held.at(-1) ?? 0) + bytes);
    if ((held.at(-1) ?? 0) > limit) throw new RangeError('no memory is left');
  });
  const { totalCount } = await run();
  // 40 users take a sketch of 128 slots, and its overhead
  expect([totalCount, held.length > ROWS]).toEqual([ROWS, true]);
  expect(Math.max(...held)).toBeGreaterThan(ROWS * 128 * 8);
  expect(Math.max(...held)).toBeLessThan(ROWS * 3 * 128 * 8);

  limit = ROWS * 1_200;
  held = [];
  await expect(run()).rejects.toThrow('no memory is left');
  const [before = 0, last = 0] = held.slice(-2); // only the last allocation exceeds the limit
  expect([before <= limit, last - before < 200_000]).toEqual([true, true]);
  hold.mockRestore();
});
