import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FUNCTION_ROUTES } from '../../infra/config/routes.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { countRoundTrips } from './support/count-round-trips.ts';
import { reportRequest } from './support/gateway-event.ts';
import { type Instance, openTestService } from './support/test-service.ts';

/** What a report is expected to take. */
const estimated = vi.hoisted((): { seconds?: number } => ({}));
vi.mock(import('../../shared/report/estimate-cost.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, estimateCost: (...given) => ({ ...original.estimateCost(...given), ...estimated }) };
});

const service = await openTestService();
afterAll(() => service.close());

await service.load({
  'facts/pla/conversions': [
    {
      ...{ daily_date: '2026-02-01', hour: 9, ad_group_id: 701, keyword: 'oats', purchased_entity_id: '1' },
      ...{ halo_units: 3, halo_exposed_units: 3 },
    },
  ],
  'facts/pla/market': [{ daily_date: '2026-02-01', hour: 9, keyword: 'oats', impressions: 900, advertisers: 9 }],
});

const REQUEST = {
  ...GOOD_REPORT,
  advertiserIds: [11],
  pagination: { offset: 0, size: 100 },
  metrics: ['impressions', 'halo_units', 'halo_roas'],
};

/** Reports by what they read. */
const REPORTS: Readonly<Record<string, object>> = {
  'a rollup': { dimensions: ['daily_date', 'campaign_name'] },
  'facts of two tables': { dimensions: ['daily_date', 'keyword'] },
  'facts, and a rollup for the totals': { dimensions: ['purchased_entity_id'] },
  'facts, and market': {
    metrics: ['impressions', 'share_of_voice'],
    dimensions: ['keyword'],
  },
};

const submit = async (instance: Instance, change: object | undefined) => {
  const { status } = await instance.send('submit-report', reportRequest(JSON.stringify({ ...REQUEST, ...change })));
  expect(status).toBe(200);
};

/** @returns the rounds of calls that the report waits for */
async function roundsOf(instance: Instance, change: object | undefined): Promise<readonly (readonly string[])[]> {
  using counted = countRoundTrips();
  await submit(instance, change);
  return [...counted.rounds];
}

describe('a report waits for the table', () => {
  test.each(Object.entries(REPORTS))('once on a warm instance, for the commit: it keeps %s', async (_, change) => {
    const instance = await service.start();
    await submit(instance, change);
    expect(await roundsOf(instance, change)).toEqual([['GetItem']]);
  });

  /** In order: key and commit; user; scope; heads and dimension tables; manifests, unless a rollup is read; facts. */
  test.each([
    ['a rollup', 5],
    ['facts of two tables', 6],
  ])('for %s %i times in a row on a new instance', async (what, expected) => {
    expect(await roundsOf(await service.start(), REPORTS[what])).toHaveLength(expected);
  });

  test('once more in the first report after a load that has not changed its facts, for heads and its time', async () => {
    const instance = await service.start();
    await submit(instance, REPORTS['a rollup']);
    await service.load({ 'facts/pla/market': [{ daily_date: '2026-02-02', hour: 9, impressions: 9 }] });
    expect(await roundsOf(instance, REPORTS['a rollup'])).toEqual([['GetItem'], ['BatchGetItem', 'GetItem']]);
    expect(await roundsOf(instance, REPORTS['a rollup'])).toEqual([['GetItem']]);
  });
});

test('an instance on Lambda connects to the table while it starts', async () => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
  const withTable = FUNCTION_ROUTES.filter(({ reads }) => reads !== 'none');
  using counted = countRoundTrips();
  await service.start();
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', undefined);
  await expect.poll(() => counted.rounds.flat()).toEqual(withTable.map(() => 'GetItem'));
});

describe('the log line "report started"', () => {
  test('is written before facts are read for a report that is expected to take a second', async () => {
    const instance = await service.start();
    estimated.seconds = 1;
    onTestFinished(() => void delete estimated.seconds);
    await submit(instance, REPORTS['a rollup']);
    using counted = countRoundTrips();
    const before: unknown[] = [];
    using _push = vi.spyOn(service.logged, 'push').mockImplementation((...lines) => {
      before.push(...lines.map(({ message }) => [message, counted.rounds.length]));
      return Array.prototype.push.apply(service.logged, lines);
    });
    await submit(instance, REPORTS['a rollup']);
    expect(before).toEqual([
      ['report started', 1], // the commit has been read; the facts are kept
      ['request', 1],
    ]);
    const [started, request] = service.logged.slice(-2);
    const { requestId, lambdaRequestId } = request ?? {};
    expect(started).toMatchObject({ requestId, lambdaRequestId, userId: 'ana', seconds: 1 });
    expect(requestId).toEqual(expect.any(String));
  });
});
