import { afterAll, describe, expect, test, vi } from 'vitest';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const ALL = {
  ...GOOD_REPORT,
  pagination: { offset: 0, size: 100 },
  metrics: ['impressions', 'clicks', 'click_through_rate', 'cost'],
  dimensions: ['daily_date', 'ad_group_id'],
};

const submit = (change: object, { key = 'key-ana', experience = 'pla' } = {}) => {
  const body = JSON.stringify({ ...ALL, ...change });
  return instance.send('submit-report', reportRequest(body, { key, experience, requestId: 'r-1' }));
};

const rowsOf = async (...request: Parameters<typeof submit>) => Object((await submit(...request)).body).data;

describe('POST /report/{experience_name}', () => {
  test('returns headers, data and totalCount ("Total count of the report"), and also totals and meta', async () => {
    const { status, body } = await submit({
      filters: [{ field: 'keyword', operator: 'EQUALS', values: ['oats'] }],
      dimensions: ['daily_date'],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      headers: [
        expect.objectContaining({ name: 'daily_date', role: 'dimension', type: 'date', unit: null }),
        expect.objectContaining({ name: 'impressions', role: 'metric', type: 'integer', unit: 'count' }),
        expect.objectContaining({ name: 'clicks', role: 'metric', type: 'integer', unit: 'count' }),
        expect.objectContaining({ name: 'click_through_rate', role: 'metric', type: 'decimal', unit: 'fraction' }),
        expect.objectContaining({ name: 'cost', role: 'metric', type: 'decimal', unit: 'USD' }),
      ],
      data: [
        { daily_date: '2026-02-01', impressions: 100, clicks: 5, click_through_rate: 0.05, cost: 1.25 },
        { daily_date: '2026-02-02', impressions: 40, clicks: 0, click_through_rate: 0, cost: 0 },
      ],
      totalCount: 2,
      totals: { impressions: 140, clicks: 5, click_through_rate: 5 / 140, cost: 1.25 },
      meta: {
        page: { offset: 0, size: 100, hasMore: false },
        period: { startDate: '2026-02-01', endDate: '2026-02-02' },
        timezone: 'America/New_York',
        currency: 'USD',
        data: {
          from: '2026-02-01',
          through: '2026-02-02',
          missingDays: [],
          missingDayCount: 0,
          gaps: [],
          gapDayCount: 0,
          tables: [],
        },
        dataCompleteThrough: '2026-02-02',
        dataFinalThrough: null,
        dataVersion: expect.stringMatching(/^[0-9a-f]{16}$/),
        dataUpdatedAt: expect.stringMatching(/^2\d{3}-.*Z$/),
        attribution: { windowDays: 14, basis: 'conversion day' },
        requestId: 'r-1',
        warnings: [],
      },
    });
  });

  test('covers all experiences by the name `all`, in any case', async () => {
    const change = { metrics: ['impressions'], dimensions: ['experience_name'], filters: [] };
    const { body } = await submit(change, { experience: 'ALL' });
    expect(body).toMatchObject({ data: await rowsOf(change), meta: { attribution: { windowDays: 14 } } });
  });

  test('resolves relative dates in the platform’s time zone, and states the dates', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T03:00:00Z') }); // February 28 in New York
    const dates = { startDate: 'startOfMonth', endDate: 'yesterday' };
    const { body } = await submit({ ...dates, metrics: ['impressions'], dimensions: [] });
    const wrong = await submit({ startDate: 'today', endDate: 'endOfMonth-1m' });
    const long = await submit({ startDate: 'today-3y', endDate: 'today' });
    vi.useRealTimers();
    const period = { startDate: '2026-02-01', endDate: '2026-02-27' };
    expect(Object(body).meta.period).toEqual(period);
    expect(Object(body).data).toEqual(await rowsOf({ ...period, metrics: ['impressions'], dimensions: [] }));
    expect(wrong.body).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [
        { pointer: '/endDate', code: 'END_BEFORE_START', detail: 'Must be the start date, 2026-02-28, or later.' },
      ],
    });
    expect(long.body).toMatchObject({ errors: [{ pointer: '/endDate', code: 'TOO_MANY_DAYS' }] });
  });

  test('resolves dates relative to the last complete day of its advertisers', async () => {
    const dates = { startDate: 'latest-1d', endDate: 'latest', compare: { startDate: 'latest', endDate: 'latest' } };
    const { body } = await submit({ ...dates, metrics: ['impressions'], dimensions: [] });
    expect(Object(body).meta).toMatchObject({
      period: { startDate: '2026-02-01', endDate: '2026-02-02' },
      compared: { startDate: '2026-02-02', endDate: '2026-02-02' },
    });
  });

  test('has weeks that begin on the day of the setting, as periods of weeks do', async () => {
    vi.stubEnv('WEEK_STARTS_ON', 'Sunday');
    const other = await service.start();
    vi.stubEnv('WEEK_STARTS_ON', 'Monday');
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-02-03T12:00:00Z') }); // a Tuesday
    const week = {
      startDate: 'startOfWeek',
      endDate: 'endOfWeek',
      metrics: ['impressions'],
      dimensions: ['week_date'],
    };
    const weekOf = async ({ send }: typeof instance) => {
      const request = reportRequest(JSON.stringify({ ...ALL, ...week }), { key: 'key-ana', experience: 'pla' });
      const { data, meta } = Object((await send('submit-report', request)).body);
      const { body } = await send('list-fields', { key: 'key-ana' });
      return [data[0]?.week_date, meta.period.startDate, Object(body).meta.weekStartsOn];
    };
    const found = [await weekOf(other), await weekOf(instance)];
    vi.useRealTimers();
    expect(found).toEqual([
      ['2026-02-01', '2026-02-01', 'Sunday'],
      ['2026-02-02', '2026-02-02', 'Monday'],
    ]);
  });

  test.each(['TOA', 'carousel'])('returns no rows for an experience without facts: %s', async (experience) => {
    const { body } = await submit({}, { experience });
    expect(body).toMatchObject({ data: [], totalCount: 0, meta: { dataCompleteThrough: null } });
  });

  test('returns at most pagination.size rows, from pagination.offset on', async () => {
    const page = (offset: number, size: number) => rowsOf({ pagination: { offset, size }, metrics: ['clicks'] });
    const all = await page(0, 100);
    expect(all).toEqual([
      { daily_date: '2026-02-01', ad_group_id: 701, clicks: 5 },
      { daily_date: '2026-02-01', ad_group_id: 702, clicks: 6 },
      { daily_date: '2026-02-02', ad_group_id: 701, clicks: 0 },
    ]);
    expect(await page(1, 1)).toEqual(all.slice(1, 2));
    expect(await page(3, 1)).toEqual([]);
  });

  test('sorts by each entry of sort: "Each entry has field and order (ASC is used)"', async () => {
    const sorted = async (order: string) => {
      const rows = await rowsOf({ metrics: ['clicks'], sort: [{ field: 'clicks', order }] });
      return rows.map(({ clicks }: { clicks: number }) => clicks);
    };
    expect(await sorted('ASC')).toEqual([0, 5, 6]);
    expect(await sorted('DESC')).toEqual([6, 5, 0]);
    const sort = [
      { field: 'daily_date', order: 'DESC' },
      { field: 'clicks', order: 'DESC' },
    ];
    expect(await rowsOf({ metrics: ['clicks'], sort })).toEqual([
      { daily_date: '2026-02-02', ad_group_id: 701, clicks: 0 },
      { daily_date: '2026-02-01', ad_group_id: 702, clicks: 6 },
      { daily_date: '2026-02-01', ad_group_id: 701, clicks: 5 },
    ]);
  });
});

describe('the scope of a report', () => {
  const impressions = (advertiserIds: readonly number[], key?: string) =>
    rowsOf(
      { advertiserIds, metrics: ['impressions'], dimensions: ['advertiser_id'] },
      key === undefined ? {} : { key },
    );

  test('is all advertisers of the caller, and no others, if advertiserIds is []', async () => {
    expect(await impressions([])).toEqual([{ advertiser_id: 11, impressions: 200 }]);
    expect(await impressions([], 'key-zoe')).toEqual([{ advertiser_id: 31, impressions: 7 }]);
    expect(await impressions([], 'key-nobody')).toEqual([]);
  });

  test('is the advertisers in advertiserIds; duplicates change nothing', async () => {
    expect(await impressions([12])).toEqual([]);
    expect(await impressions([11, 12, 11])).toEqual([{ advertiser_id: 11, impressions: 200 }]);
  });

  test('is not extended by a filter: the id of another user’s advertiser selects no rows', async () => {
    const foreign = { filters: [{ field: 'advertiser_id', operator: 'EQUALS', values: ['31'] }] };
    expect(await rowsOf({ ...foreign, metrics: ['impressions'] })).toEqual([]);
  });

  test('does not include the names of other accounts', async () => {
    const flight = { status: 'ACTIVE', startDate: '2026-01-01' };
    await service.load({
      campaigns: [...(LISTINGS.campaigns ?? []), { id: 62, name: 'Summer', advertiserId: 12, ...flight }],
      ad_groups: [...(LISTINGS.ad_groups ?? []), { id: 712, name: 'Beach', campaignId: 62, ...flight }],
      'facts/pla/delivery': [{ daily_date: '2026-02-01', hour: 9, ad_group_id: 712, impressions: 30 }],
    });
    const rows = (key: string) =>
      rowsOf(
        { metrics: ['impressions'], dimensions: ['accounts'], sort: [{ field: 'impressions', order: 'DESC' }] },
        { key },
      );
    expect(await rows('key-ana')).toEqual([
      { accounts: 'Alpha', impressions: 200 },
      { accounts: 'Alpha, Beta', impressions: 30 }, // advertiser 12 also belongs to Gamma, which is not Ana's
    ]);
    expect(await rows('key-zoe')).toEqual([{ accounts: 'Gamma', impressions: 37 }]);
  });

  test('has memory and the time of the instance’s start in its log line, also if it is rejected; listings have neither', async () => {
    await submit({});
    await submit({ metrics: ['nope'] });
    await instance.send('list-placements', { key: 'key-ana' });
    const lines = service.logged.slice(-3).map(({ status, rssMb, initMs }) => [status, typeof rssMb, typeof initMs]);
    expect(lines).toEqual([
      [200, 'number', 'number'],
      [422, 'number', 'number'],
      [200, 'undefined', 'undefined'],
    ]);
    expect(Number(service.logged.at(-2)?.rssMb)).toBeGreaterThan(20);
    expect(service.logged.at(-2)?.initMs).toBe(service.logged.at(-3)?.initMs);
  });
});
