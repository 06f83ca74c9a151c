import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { type Instance, openTestService, type TestService } from '../../http/support/test-service.ts';
import { measureReport, sendAtOnce } from './ask.ts';

const ADVERTISERS = 580;
const DAYS = 108;
/** Of an instance that has read fact heads and names: planning read 5,800 to 11,600. */
const MAX_UNITS = 300;
/** Each request may count itself; none stores what it has computed. */
const MAX_WRITE_UNITS = 3;

const ids = Array.from({ length: ADVERTISERS }, (_, i) => i + 1);
const FIRST = dayNumber('2026-01-10');
const PERIOD = { startDate: formatDay(FIRST), endDate: formatDay(FIRST + DAYS - 1) };
const BY_KEYWORD = { ...PERIOD, dimensions: ['hour', 'keyword'], metrics: ['clicks', 'halo_units'] };
/** Each of the groups is compared with each pattern. */
const TOO_EXPENSIVE = {
  ...{
    ...BY_KEYWORD,
    dimensions: ['daily_date', 'hour', 'keyword', 'ad_group_id'],
    metrics: METRIC_NAMES,
    compare: PERIOD,
  },
  filters: [{ field: 'impressions', operator: 'LIKE_IN', values: Array.from({ length: 1_000 }, (_, i) => `%${i}%`) }],
};

/** @returns a row of each advertiser on each day */
const rowsOf = (measures: object) =>
  ids.flatMap((ad_group_id) =>
    Array.from({ length: DAYS }, (_, day) => ({
      ...{ daily_date: formatDay(FIRST + day), hour: 9, ad_group_id, keyword: `k${ad_group_id % 50}` },
      ...measures,
    })),
  );

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  service = await openTestService({
    files: {
      accounts: [{ id: 1, name: 'All' }],
      advertisers: ids.map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1 })),
      campaigns: ids.map((id) => ({
        ...{ id, advertiserId: id, name: `Campaign ${id}`, status: 'ACTIVE', startDate: '2026-01-01' },
      })),
      ad_groups: ids.map((id) => ({ id, campaignId: id, name: `Ad group ${id}`, status: 'ACTIVE' })),
      users: [{ userId: 'wide', name: 'Wide', userType: 'AGENCY', accountIds: [1] }],
      'facts/pla/delivery': rowsOf({ impressions: 2, clicks: 1 }),
      'facts/pla/conversions': rowsOf({ halo_units: 1, halo_exposed_units: 1 }),
    },
    users: ['wide'],
  });
  instance = await service.start();
  await measureReport({ service, instance }, 'first report of an instance', 'wide', TOO_EXPENSIVE);
});
afterAll(() => service.close());

describe('a report over 580 advertisers and 108 days', () => {
  test.each([
    ['by keyword', BY_KEYWORD],
    ['by keyword, with another period', { ...BY_KEYWORD, compare: 'previousPeriod' }],
  ])('%s is estimated with few read units, and with about the rows that it has', async (name, body) => {
    const dry = { ...body, validateOnly: true };
    const {
      status,
      body: estimated,
      units,
      writeUnits,
    } = await measureReport({ service, instance }, `estimate ${name}`, 'wide', dry);
    expect(status).toBe(200);
    expect(units).toBeLessThanOrEqual(MAX_UNITS);
    expect(writeUnits).toBeLessThanOrEqual(MAX_WRITE_UNITS);
    const { rows, readUnits } = estimated.meta.estimate;
    expect(rows / (2 * ADVERTISERS * DAYS)).toBeGreaterThan(0.95);
    expect(rows / (2 * ADVERTISERS * DAYS)).toBeLessThan(1.05);
    expect(readUnits).toBeGreaterThan(2 * ADVERTISERS * 4); // of the manifests alone
  });

  test('that is too expensive is rejected with few read units', async () => {
    const { status, body, units } = await measureReport({ service, instance }, 'rejection', 'wide', TOO_EXPENSIVE);
    expect([status, body.code]).toEqual([422, 'REPORT_TOO_EXPENSIVE']);
    expect(units).toBeLessThanOrEqual(MAX_UNITS);
  });

  test('by advertiser is estimated and served from sums of many advertisers', async () => {
    const body = { ...PERIOD, dimensions: ['advertiser_id'], metrics: ['impressions'] };
    const dry = await measureReport({ service, instance }, 'estimate by advertiser', 'wide', {
      ...body,
      validateOnly: true,
    });
    const full = await measureReport({ service, instance }, 'report by advertiser', 'wide', body);
    expect([dry.status, full.status, full.body.totalCount]).toEqual([200, 200, ADVERTISERS]);
    expect(full.units).toBeLessThanOrEqual(MAX_UNITS);
  });

  test('counts as running while a new instance plans it', async () => {
    const statuses = await sendAtOnce(service, 'wide', { ...BY_KEYWORD, validateOnly: true }, 12);
    expect(statuses).toContain(429);
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  });
});
