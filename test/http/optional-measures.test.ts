import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LoadRow } from '../real/write-folder.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './support/network.ts';
import { type Instance, openTestService, type TestService } from './support/test-service.ts';

const [SAMPLE = {}] = PLA_DELIVERY;
const { ad_group_id } = Object(SAMPLE);
const DAYS = ['2026-02-02', '2026-02-03', '2026-02-04'];

const delivery = DAYS.flatMap((daily_date) =>
  Array.from({ length: 300 }, (_, i): LoadRow => {
    const impressions = 1_000 + i;
    return { daily_date, hour: i % 24, ad_group_id, keyword: `keyword ${i}`, impressions, clicks: i % 7, cost: '2' };
  }),
);
const conversions = DAYS.map((daily_date): LoadRow => {
  return { daily_date, hour: 9, ad_group_id, halo_transactions: 10, halo_units: 20, halo_revenue: '100' };
});
/** @returns the same rows with the measures that few networks have, on these days */
const withMore = (days: readonly string[]) => {
  const add = (rows: readonly LoadRow[], figures: LoadRow) =>
    rows.map((row) => (days.includes(String(row.daily_date)) ? { ...row, ...figures } : row));
  return {
    'facts/pla/delivery': add(delivery, { measurable_impressions: 800, viewable_impressions: 600 }),
    'facts/pla/conversions': add(conversions, {
      ...{ new_to_brand_transactions: 4, new_to_brand_units: 5, new_to_brand_revenue: '25' },
    }),
  };
};

const ask = (metrics: readonly string[], dimensions: readonly string[] = []) =>
  reportRequest(
    JSON.stringify({
      ...{ startDate: DAYS[0], endDate: DAYS.at(-1), advertiserIds: [], metrics, dimensions, filters: [], sort: [] },
      pagination: { offset: 0, size: 5 },
    }),
  );

const services: TestService[] = [];
let [without, fed, partly]: Instance[] = [];
beforeAll(async () => {
  for (const facts of [withMore([]), withMore(DAYS), withMore(DAYS.slice(0, 2))])
    services.push(await openTestService({ users: ['ana'], files: { ...LISTINGS, ...facts } }));
  [without, fed, partly] = await Promise.all(services.map((service) => service.start()));
});
afterAll(() => Promise.all(services.map((service) => service.close())));

test.each([
  ['by campaign', ['impressions', 'clicks', 'cost', 'halo_revenue'], ['campaign_name']],
  ['by keyword', ['impressions', 'halo_roas'], ['keyword']],
  ['by hour and day', ['cost', 'halo_transactions'], ['daily_date', 'hour']],
])('a report without them reads as much, and says the same: %s', async (_, metrics, dimensions) => {
  const found = [];
  for (const instance of [without, fed]) {
    const { body } = (await instance?.send('submit-report', ask(metrics, dimensions))) ?? {};
    found.push({ data: Object(body).data, totals: Object(body).totals, readUnits: instance?.lastCharge() });
  }
  expect(found[1]).toEqual(found[0]);
});

const RATES = ['measurable_rate', 'viewable_rate', 'viewable_cost_per_thousand'];
const NEW = ['new_to_brand_rate', 'new_to_brand_revenue_share', 'cost_per_new_to_brand_transaction'];

test('they are of the days that have them, on both sides of a ratio, with a warning', async () => {
  const { body } =
    (await partly?.send('submit-report', ask([...RATES, ...NEW, 'new_to_brand_units', 'viewable_impressions']))) ?? {};
  const impressions = 2 * Array.from({ length: 300 }, (_, i) => 1_000 + i).reduce((sum, count) => sum + count, 0);
  expect(Object(body).totals).toEqual({
    measurable_rate: (2 * 300 * 800) / impressions,
    viewable_rate: 0.75,
    viewable_cost_per_thousand: (1_000 * 2 * 300 * 2) / (2 * 300 * 600),
    new_to_brand_rate: 0.4,
    new_to_brand_revenue_share: 0.25,
    cost_per_new_to_brand_transaction: (2 * 300 * 2) / 8,
    new_to_brand_units: 10,
    viewable_impressions: 2 * 300 * 600,
  });
  const { warnings } = Object(body).meta;
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: 'NOT_MEASURED', detail: expect.stringContaining(DAYS.at(-1) ?? '') }),
  );
});

test('where no file has them, they are null with a warning, and the catalogue says that there is no data', async () => {
  const { body } = (await without?.send('submit-report', ask([...RATES, ...NEW]))) ?? {};
  expect(Object.values(Object(body).totals)).toEqual([...RATES, ...NEW].map(() => null));
  expect(Object(body).meta.warnings).toContainEqual(expect.objectContaining({ code: 'NOT_MEASURED' }));
  const { body: fields } = (await without?.send('list-fields', { key: 'key-ana' })) ?? {};
  expect(Object(fields).meta.fieldsWithoutData.pla).toEqual(expect.arrayContaining([...RATES, ...NEW]));
  const { body: ofFed } = (await fed?.send('list-fields', { key: 'key-ana' })) ?? {};
  for (const name of [...RATES, ...NEW]) expect(Object(ofFed).meta.fieldsWithoutData.pla).not.toContain(name);
});
