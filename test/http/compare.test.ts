import { tableFromIPC } from '@uwdata/flechette';
import { afterAll, describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const REPORT = {
  ...{ ...GOOD_REPORT, startDate: '2026-02-02', endDate: '2026-02-02' },
  ...{ metrics: ['clicks', 'cost', 'campaign_status'], dimensions: ['ad_group_id'], compare: 'previousPeriod' },
};

const submit = async (change: object, accept = 'application/json') => {
  const headers = [...Object.entries({ 'Content-Type': 'application/json', Accept: accept })];
  const request = reportRequest(JSON.stringify({ ...REPORT, ...change }), { headers });
  const response = await instance.send('submit-report', request);
  return { ...response, body: Object(response.body) };
};

describe('a report with a compared period', () => {
  test('has the compared metrics in each row, totals and the days of that period', async () => {
    const { status, body } = await submit({});
    expect(status).toBe(200);
    const campaignStatus = body.data[0].campaign_status;
    expect(body).toMatchObject({
      headers: [{ name: 'ad_group_id' }, { name: 'clicks' }, { name: 'cost' }, { name: 'campaign_status' }],
      data: [
        {
          ad_group_id: 701,
          clicks: 0,
          cost: 0,
          compared: { clicks: 5, cost: 1.25, campaign_status: campaignStatus },
          change: { clicks: -5, cost: -1.25 },
        },
        {
          ad_group_id: 702,
          clicks: 0,
          cost: 0,
          campaign_status: null,
          compared: { clicks: 6 },
          relativeChange: { clicks: -1 },
        },
      ],
      totalCount: 2,
      totals: { clicks: 0 },
      comparedTotals: { clicks: 11 },
      changeTotals: { clicks: -11 },
      relativeChangeTotals: { clicks: -1 },
      meta: { compared: { startDate: '2026-02-01', endDate: '2026-02-01', data: body.meta.data } },
    });
    expect(Object.keys(body.data[0])).toEqual([
      'ad_group_id',
      'clicks',
      'cost',
      'campaign_status',
      'compared',
      'change',
      'relativeChange',
    ]);
  });

  test('is a report without it, if that is left out', async () => {
    const { body } = await submit({ compare: undefined });
    expect(Object.keys(body)).toEqual(['headers', 'data', 'totalCount', 'totals', 'meta']);
    expect([body.data, body.meta.compared]).toEqual([
      [expect.not.objectContaining({ compared: expect.anything() })],
      undefined,
    ]);
  });

  test('has the compared value and the change after each metric in CSV and Arrow', async () => {
    const { text, headers } = await submit({}, 'text/csv');
    const { body: json } = await submit({});
    const status = json.data[0].campaign_status;
    expect(text).toBe(
      [
        'ad_group_id,clicks,clicks_before,clicks_change,clicks_relative_change,cost,cost_before,cost_change,cost_relative_change,campaign_status,campaign_status_before',
        `701,0,5,-5,-1.0,0.0,1.25,-1.25,-1.0,"${status}","${status}"`,
        `702,0,6,-6,-1.0,0.0,${json.data[1].compared.cost.toFixed(1)},-${json.data[1].compared.cost.toFixed(1)},-1.0,,"${status}"`,
        '',
      ].join('\r\n'),
    );
    expect(headers).toMatchObject({
      'Endcap-Compared-Totals': JSON.stringify(json.comparedTotals),
      'Endcap-Compared': JSON.stringify(json.meta.compared),
    });
    const arrow = await submit({}, 'application/vnd.apache.arrow.stream');
    const table = tableFromIPC(arrow.bytes);
    expect(table.schema.fields.map(({ name }) => name)).toEqual(text.split('\r\n')[0]?.split(','));
    expect(table.getChild('cost_change').toArray()).toEqual(Float64Array.of(-1.25, -json.data[1].compared.cost));
  });

  test('is sorted by the change, over pages', async () => {
    const sort = [{ field: 'clicks', order: 'ASC', by: 'change' }];
    const whole = await submit({ sort });
    expect(whole.body.data.map((row: { ad_group_id: number }) => row.ad_group_id)).toEqual([702, 701]);
    const pages = [0, 1].map((offset) => submit({ sort, pagination: { offset, size: 1 } }));
    expect((await Promise.all(pages)).flatMap(({ body }) => body.data)).toEqual(whole.body.data);
  });

  test('is estimated as its two periods together', async () => {
    const rowsOf = async (change: object) => (await submit({ ...change, validateOnly: true })).body.meta.estimate.rows;
    const both = await submit({ validateOnly: true });
    expect(both.body).toMatchObject({
      data: [],
      totals: {},
      comparedTotals: {},
      changeTotals: {},
      meta: { compared: {} },
    });
    const day = '2026-02-01';
    const before = await rowsOf({ startDate: day, endDate: day, compare: undefined });
    expect(both.body.meta.estimate.rows).toBe((await rowsOf({ compare: undefined })) + before);
  });

  test('has headers of at most 10,240 bytes with all metrics as CSV', async () => {
    const { headers } = await submit({ metrics: METRIC_NAMES, dimensions: ['hour'] }, 'text/csv');
    const bytes = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    expect(bytes.join('').length).toBeLessThan(10_240 - 1_500);
  });
});
