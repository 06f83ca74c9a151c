import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, describe, expect, test } from 'vitest';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const on = (day: number, ad_group_id = 701) => ({ daily_date: `2026-02-0${day}`, ad_group_id });
const slice = { placement_id: 21, keyword: 'oats' };

/** Day 1 has hours, day 2 has none. On day 3 only delivery of 11 has hours, on day 4 only that of 12, and on day 5 only market. */
const service = await openTestService({
  files: {
    ...LISTINGS,
    campaigns: [
      ...(LISTINGS.campaigns ?? []),
      { id: 62, name: 'Brook', advertiserId: 12, status: 'ACTIVE', startDate: '2026-01-01' },
    ],
    ad_groups: [...(LISTINGS.ad_groups ?? []), { id: 712, name: 'Brook', campaignId: 62, status: 'ACTIVE' }],
    'facts/pla/delivery_hours': [
      { ...on(1), ...slice, hour: 0, impressions: 10, clicks: 1 },
      { ...on(1), ...slice, hour: 5, impressions: 20, clicks: 2 },
      { ...on(3), ...slice, hour: 5, impressions: 40, clicks: 4 },
      { ...on(4, 712), ...slice, hour: 5, impressions: 7, clicks: 0 },
    ],
    'facts/pla/delivery_days': [
      { ...on(2), ...slice, impressions: 100, clicks: 30 },
      { ...on(4), ...slice, impressions: 200, clicks: 40 },
      { ...on(5), ...slice, impressions: 400, clicks: 50 },
    ],
    'facts/pla/conversions': [{ ...on(1), halo_transactions: 3, halo_exposed_transactions: 3 }],
    'facts/pla/activity': [{ ...on(1), live_seconds: 43_200, scheduled_seconds: 86_400 }],
    'facts/pla/market_days': [2, 3].map((day) => ({ daily_date: on(day).daily_date, ...slice, ...marketOf() })),
    'facts/pla/market_hours': [1, 4, 5].map((day) => ({
      ...{ daily_date: on(day).daily_date, hour: 5, ...slice },
      ...marketOf(),
    })),
  },
});
const instance = await service.start();
afterAll(() => service.close());

function marketOf() {
  return { impressions: 1_000, advertisers: 9 };
}

const send = (change: object, accept = 'application/json') => {
  const period = { startDate: '2026-02-01', endDate: '2026-02-05' };
  const report = {
    ...GOOD_REPORT,
    ...period,
    dimensions: ['hour'],
    filters: [],
    sort: [],
    advertiserIds: [11],
    ...change,
  };
  const headers = [['Content-Type', 'application/json'] as const, ['Accept', accept] as const];
  return instance.send('submit-report', reportRequest(JSON.stringify(report), { experience: 'pla', headers }));
};
const rowsOf = async (change: object) => Object((await send(change)).body).data;

describe('rows without an hour', () => {
  const metrics = ['impressions', 'halo_transactions', 'hours_live'];

  test('are a row with null by hour, after all hours, with the conversions and activity of days without hours', async () => {
    const rows = [
      { hour: 0, impressions: 10, halo_transactions: null, hours_live: null }, // no day has them by hour
      { hour: 5, impressions: 60, halo_transactions: null, hours_live: null },
      { hour: null, impressions: 700, halo_transactions: 3, hours_live: 12 },
    ];
    expect(await rowsOf({ metrics })).toEqual(rows);
    const sort = [{ field: 'hour', order: 'DESC' }];
    expect(await rowsOf({ metrics, sort })).toEqual([rows[1], rows[0], rows[2]]);
    expect(await rowsOf({ metrics, dimensions: [] })).toEqual([
      { impressions: 770, halo_transactions: 3, hours_live: 12 },
    ]);
  });

  test.each([
    ['EQUALS', ['0'], [0]],
    ['NOT_EQUALS', ['0'], [5, null]],
    ['LESS_THAN', ['5'], [0]],
    ['BETWEEN', ['0', '23'], [0, 5]],
    ['IS_NULL', [], [null]],
    ['NOT_NULL', [], [0, 5]],
  ])('pass the filter hour %s %j as in other dimensions', async (operator, values, hours) => {
    const data = await rowsOf({ metrics: ['impressions'], filters: [{ field: 'hour', operator, values }] });
    expect(data.map(({ hour }: { hour: unknown }) => hour)).toEqual(hours);
  });

  test('have an empty cell in CSV and null in Arrow', async () => {
    const { text } = await send({ metrics: ['clicks'] }, 'text/csv');
    expect(text).toBe(['hour,clicks', '0,1', '5,6', ',120', ''].join('\r\n'));
    const { bytes } = await send({ metrics: ['clicks'] }, 'application/vnd.apache.arrow.stream');
    expect(tableFromIPC(bytes).toArray()).toEqual(await rowsOf({ metrics: ['clicks'] }));
  });
});

describe('share_of_voice', () => {
  const shares = (change: object) => rowsOf({ metrics: ['share_of_voice'], dimensions: ['daily_date'], ...change });

  test('compares days of which delivery and market have no hours, and no days on which only some of them have', async () => {
    expect(await shares({})).toEqual([
      { daily_date: '2026-02-01', share_of_voice: 20 / 1_000 },
      { daily_date: '2026-02-02', share_of_voice: 100 / 1_000 },
      { daily_date: '2026-02-03', share_of_voice: null },
      { daily_date: '2026-02-04', share_of_voice: null },
      { daily_date: '2026-02-05', share_of_voice: null },
    ]);
  });

  test('counts an advertiser without hours among the caller’s on all hours, also if the report has one hour and another advertiser only', async () => {
    const filters = [{ field: 'hour', operator: 'EQUALS', values: ['5'] }];
    expect(await shares({ filters, advertiserIds: [12] })).toEqual([
      { daily_date: '2026-02-04', share_of_voice: null },
    ]);
    expect(await shares({ filters })).toEqual([
      { daily_date: '2026-02-01', share_of_voice: 20 / 1_000 },
      { daily_date: '2026-02-03', share_of_voice: null },
    ]);
  });
});
