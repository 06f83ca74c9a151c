import { afterAll, describe, expect, test } from 'vitest';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { countRoundTrips } from './support/count-round-trips.ts';
import { reportRequest } from './support/gateway-event.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const REPORT = { ...GOOD_REPORT, metrics: ['impressions', 'time_live'], dimensions: ['daily_date', 'keyword'] };

const submit = async (change: object, by = instance) => {
  const { status, body } = await by.send('submit-report', reportRequest(JSON.stringify({ ...REPORT, ...change })));
  return { status, body: Object(body) };
};

describe('a report with validateOnly', () => {
  test('returns the headers, warnings and estimated cost of the report, without rows and totals', async () => {
    const full = await submit({});
    const { status, body } = await submit({ validateOnly: true });
    expect(full.body.data.length).toBeGreaterThan(0);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        headers: full.body.headers,
        data: [],
        totalCount: 0,
        totals: {},
        meta: {
          ...full.body.meta,
          requestId: expect.any(String),
          estimate: { seconds: expect.any(Number), readUnits: expect.any(Number), rows: expect.any(Number) },
        },
      },
    });
    expect(body.meta.warnings).toMatchObject([
      { code: 'NOT_MEASURED', fields: ['daily_date', 'time_live'] }, // of the total: there is no activity
      { code: 'NOT_AT_THIS_GRAIN', field: 'time_live' },
    ]);
  });

  test('estimates at least the rows and the read units that the report then uses', async () => {
    const { estimate } = (await submit({ validateOnly: true })).body.meta;
    await submit({});
    expect(estimate.rows).toBe(service.logged.at(-1)?.rowsScanned);
    expect(estimate.readUnits).toBeGreaterThanOrEqual(instance.lastCharge());
    expect(estimate.seconds).toBeGreaterThan(0);
  });

  test.each([
    ['one filter', [['keyword', 'EQUALS', 'nothing']], ['daily_date']],
    ['one filter, in a single row', [['keyword', 'EQUALS', 'nothing']], []],
    ['a filter on a metric', [['clicks', 'GREATER_THAN', '1000000']], ['keyword']],
    ['a filter on a campaign', [['campaign_name', 'EQUALS', 'nothing']], ['hour']],
    [
      'seven filters',
      [...Array(6).fill(['hour', 'GREATER_THAN_OR_EQUAL', '0']), ['hour', 'LESS_THAN', '0']],
      ['keyword'],
    ],
  ])(
    'estimates at least the read units of a report without rows, explanation included: %s',
    async (_, list, dimensions) => {
      const filters = list.map(([field, operator, value]) => ({ field, operator, values: [value] }));
      const { estimate } = (await submit({ filters, dimensions, validateOnly: true })).body.meta;
      const { body } = await submit({ filters, dimensions });
      expect(body.meta.warnings.map(({ code }: { readonly code: string }) => code)).toContain('NO_ROWS');
      expect(estimate.ifEmpty.seconds).toBeGreaterThan(0);
      expect(estimate.readUnits + estimate.ifEmpty.readUnits).toBeGreaterThanOrEqual(instance.lastCharge());
    },
  );

  test.each([
    ['by a rollup', { dimensions: ['campaign_name', 'daily_date'] }],
    ['by keyword', { dimensions: ['keyword'] }],
    ['with users', { metrics: ['unique_user_impressions'], dimensions: ['division_banner'] }],
    ['compared', { dimensions: ['keyword'], compare: 'previousPeriod' }],
  ])(
    'estimates within a factor of two what a new instance takes, also where others have read the same: %s',
    async (_, change) => {
      const [first, second] = [await service.start(), await service.start()];
      expect(await submit(change, first)).toMatchObject({ status: 200 });
      const charge = first.lastCharge();
      const warm = (await submit({ ...change, validateOnly: true }, first)).body.meta.estimate;
      const cold = (await submit({ ...change, validateOnly: true }, second)).body.meta.estimate;
      expect(warm).toEqual(cold);
      expect(cold.readUnits).toBeGreaterThanOrEqual(charge / 2);
      expect(cold.readUnits).toBeLessThanOrEqual(charge * 2);
    },
  );

  test('reads no facts: a warm instance reads only the commit', async () => {
    await submit({});
    using counted = countRoundTrips();
    await submit({ validateOnly: true });
    expect(counted.rounds).toEqual([['GetItem']]);
  });

  test('is a report if it is false, and invalid if it is not a boolean', async () => {
    const { data, meta } = (await submit({})).body;
    const { body } = await submit({ validateOnly: false });
    expect([body.data, body.meta.estimate, meta.estimate]).toEqual([data, undefined, undefined]);
    expect((await submit({ validateOnly: 'yes' })).body.errors).toEqual([
      { in: 'body', pointer: '/validateOnly', code: 'WRONG_TYPE', detail: 'Must be true or false.' },
    ]);
  });

  test.each([
    ['that has an unknown metric', { metrics: ['cots'] }],
    ['over an advertiser of somebody else', { advertiserIds: [999_999] }],
  ])('gets the same error as a report %s', async (_, change) => {
    const [dry, full] = [await submit({ ...change, validateOnly: true }), await submit(change)];
    const { requestId: _id, occurredAt: _at, ...problem } = full.body;
    expect(dry).toEqual({ status: full.status, body: expect.objectContaining(problem) });
    expect(dry.status).toBeGreaterThanOrEqual(403);
  });
});
