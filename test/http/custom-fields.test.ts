import { afterAll, beforeAll, expect, test, vi } from 'vitest';

/** The catalogue reads the declarations when it is imported. */
vi.hoisted(() => {
  process.env.FIELDS_FILE = `${import.meta.dirname}/support/endcap.fields.json`;
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { type LoadRow, writeLoadFile } from '../real/write-folder.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './support/network.ts';
import { type Instance, openTestService, type TestService } from './support/test-service.ts';

const [SAMPLE = {}] = PLA_DELIVERY;
const { ad_group_id } = Object(SAMPLE);
const DAYS = ['2026-02-02', '2026-02-03'];

const delivery = DAYS.flatMap((daily_date) =>
  ['pickup', 'delivery'].map((fulfilment, hour): LoadRow => {
    return { daily_date, hour, ad_group_id, impressions: 100, cost: '2', fulfilment, gift_card_units: 5 + hour };
  }),
);
const conversions = DAYS.map((daily_date): LoadRow => {
  return { daily_date, hour: 9, ad_group_id, halo_revenue: '100', revenue_30d: '250.5', fulfilment: 'pickup' };
});

const ask = (metrics: readonly string[], dimensions: readonly string[] = []) =>
  reportRequest(
    JSON.stringify({
      ...{ startDate: DAYS[0], endDate: DAYS.at(-1), advertiserIds: [], metrics, dimensions, filters: [], sort: [] },
      pagination: { offset: 0, size: 5 },
    }),
  );

let service: TestService;
let instance: Instance;
beforeAll(async () => {
  const campaigns = (LISTINGS.campaigns ?? []).map((row) => ({ ...row, label: 'spring' }));
  const facts = { 'facts/pla/delivery': delivery, 'facts/pla/conversions': conversions };
  service = await openTestService({ users: ['ana'], files: { ...LISTINGS, campaigns, ...facts } });
  instance = await service.start();
});
afterAll(() => service?.close());

test('measures, ratios and dimensions of declarations are reported as those of the catalogue', async () => {
  const metrics = ['gift_card_units', 'revenue_30d', 'roas_30d', 'gift_cards_per_thousand'];
  const { body } = await instance.send('submit-report', ask(metrics, ['fulfilment', 'label']));
  expect(body).toMatchObject({
    data: [
      { fulfilment: 'delivery', label: 'spring', gift_card_units: 12, revenue_30d: 0, gift_cards_per_thousand: 60 },
      { fulfilment: 'pickup', gift_card_units: 10, revenue_30d: 501, roas_30d: 125.25 },
    ],
    totals: { gift_card_units: 22, revenue_30d: 501, roas_30d: 62.625, gift_cards_per_thousand: 55 },
  });
});

test('a load warns of a custom dimension that multiplies rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-test-'));
  const rows = Array.from({ length: 6 }, (_, i): LoadRow => {
    return { daily_date: '2026-02-09', hour: 1, ad_group_id, impressions: 1, fulfilment: `kind ${i}` };
  });
  writeLoadFile(folder, 'facts/pla/delivery.ndjson', rows);
  const { warnings } = await loadFolder({ userIdKey, folder, table: service.table, timeZone: 'America/New_York' });
  rmSync(folder, { recursive: true });
  expect(warnings).toContainEqual(
    expect.stringContaining(
      'fulfilment multiplies the rows of 1 advertiser day, such as 2026-02-09 of advertiser 11, by more than five',
    ),
  );
});

/** Of halo_revenue, a day without purchases is known; revenue_30d began on February 2. */
test('before the first day with a measure, days without rows of its table are unknown, not 0', async () => {
  await service.load({
    'facts/pla/delivery': ['2026-01-30', '2026-02-04'].map((daily_date) => {
      return { daily_date, hour: 1, ad_group_id, impressions: 1, cost: '4' };
    }),
    'facts/pla/conversions': [{ ...conversions[0], daily_date: '2026-02-05' }],
    'facts/pla/conversions_before': [{ daily_date: '2026-01-29', hour: 9, ad_group_id, halo_revenue: '1' }],
  });
  const later = await service.start();
  const body = { startDate: '2026-01-30', endDate: '2026-02-04', metrics: ['roas_30d', 'halo_roas'] };
  const sort = [{ field: 'daily_date', order: 'ASC' }];
  const request = { ...body, sort, dimensions: ['daily_date'], advertiserIds: [], filters: [] };
  const pagination = { offset: 0, size: 9 };
  const { body: found } = await later.send('submit-report', reportRequest(JSON.stringify({ ...request, pagination })));
  expect(found).toMatchObject({
    data: [
      { daily_date: '2026-01-30', roas_30d: null, halo_roas: 0 },
      { daily_date: '2026-02-02', roas_30d: 62.625, halo_roas: 25 },
      { daily_date: '2026-02-03', roas_30d: 62.625, halo_roas: 25 },
      { daily_date: '2026-02-04', roas_30d: 0, halo_roas: 0 },
    ],
    totals: { roas_30d: 501 / 12, halo_roas: 200 / 16 },
  });
});
