import { getHeapStatistics } from 'node:v8';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIMENSIONS } from '../../../shared/catalog/dimensions.ts';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import { printFigures } from '../support/budget.ts';
import { askReport, measureReport, sendAtOnce } from './ask.ts';

const GROUPS = 60_000;
const [BEFORE, DAY] = ['2026-02-02', '2026-02-03'];
const REPORT = {
  ...{ startDate: DAY, endDate: DAY, compare: 'previousPeriod', pagination: { offset: 0, size: 10 } },
  dimensions: ['daily_date', 'hour', 'ad_group_id', 'keyword', 'entity_id'],
};
/** All that a row of delivery can have. */
const dimensions = Object.entries(DIMENSIONS)
  .filter(([, { base }]) => base !== 'purchased_entity_id' && base !== 'conversion_source')
  .map(([name]) => name);

/** @returns rows whose keys all differ */
const rowsOf = (daily_date: string) =>
  Array.from({ length: GROUPS }, (_, i) => ({
    ...{ daily_date, hour: i % 24, ad_group_id: 1, keyword: `k${i % 5_000}`, entity_id: String(i % 7_001) },
    impressions: 1 + (i % 9),
  }));

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  service = await openTestService({
    files: {
      accounts: [{ id: 1, name: 'One' }],
      advertisers: [{ id: 1, name: 'One', accountId: 1 }],
      campaigns: [{ id: 1, advertiserId: 1, name: 'All', status: 'ACTIVE', startDate: '2026-01-01' }],
      ad_groups: [{ id: 1, campaignId: 1, name: 'All', status: 'ACTIVE' }],
      users: [{ userId: 'one', name: 'One', userType: 'CPG', accountIds: [1] }],
      'facts/pla/delivery': [...rowsOf(BEFORE), ...rowsOf(DAY)],
    },
    users: ['one'],
  });
  instance = await service.start();
});
afterAll(() => service.close());

describe('a report of 60,000 groups in each of two periods', () => {
  test.each([
    ['by five dimensions', REPORT],
    ['by all dimensions', { ...REPORT, dimensions }],
    ['by all dimensions, from the middle', { ...REPORT, dimensions, pagination: { offset: GROUPS / 2, size: 10 } }],
  ])('%s is estimated with its groups', async (name, body) => {
    const dry = await measureReport({ service, instance }, `estimate ${name}`, 'one', { ...body, validateOnly: true });
    const full = await measureReport({ service, instance }, `report ${name}`, 'one', body);
    expect(full.status).toBe(200);
    expect(full.body.totalCount).toBeGreaterThanOrEqual(GROUPS);
    expect(dry.body.meta.estimate.seconds).toBeGreaterThan(2 * GROUPS * 500e-9); // 0.4 to 1.1 µs to join a group
  });

  /** Memory is that of the instance, with caches and garbage of the reports before. */
  test('has the same rows 100 times, after other heavy reports', async () => {
    const query = { startDate: DAY, endDate: DAY, dimensions, pagination: { offset: 0, size: 10 } };
    const first = await askReport(instance, 'one', query);
    let heapMb = 0;
    for (let i = 0; i < 100; i++) {
      if (i % 10 === 0) await askReport(instance, 'one', { ...REPORT, dimensions });
      const { data, totals, totalCount } = await askReport(instance, 'one', query);
      expect({ data, totals, totalCount }).toEqual({
        data: first.data,
        totals: first.totals,
        totalCount: first.totalCount,
      });
      const { used_heap_size, external_memory } = getHeapStatistics();
      heapMb = Math.max(heapMb, Math.round((used_heap_size + external_memory) / 1e6));
    }
    printFigures('odd, repeats', { 'peak MB of heap and buffers': heapMb });
  });

  test('counts as running: a key that may run one cannot run eight of them', async () => {
    const statuses = await sendAtOnce(service, 'one', REPORT, 8);
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  });
});
