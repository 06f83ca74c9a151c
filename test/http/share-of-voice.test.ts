import { afterAll, describe, expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

const cell = { daily_date: '2026-02-01', hour: 9, placement_id: 21 };
/** Ana's advertisers are 11 and 12, Zoe's is 31. Besides both of Ana's, the market of oats has 2 others in hour 9, which is too few, and 3 in hour 10. */
await service.load({
  campaigns: [
    ...(LISTINGS.campaigns ?? []),
    { id: 62, name: 'Brook', advertiserId: 12, status: 'ACTIVE', startDate: '2026-01-01' },
  ],
  ad_groups: [
    ...(LISTINGS.ad_groups ?? []),
    { id: 712, name: 'Brook', campaignId: 62, status: 'ACTIVE', startDate: '2026-01-01' },
  ],
  'facts/pla/delivery': [
    ...PLA_DELIVERY.filter((row) => !JSON.stringify(row).includes('oats')),
    { ...cell, ad_group_id: 701, keyword: 'oats', impressions: 10 },
    { ...cell, ad_group_id: 712, keyword: 'oats', impressions: 20 },
    { ...cell, hour: 10, ad_group_id: 701, keyword: 'oats', impressions: 30 },
    { ...cell, hour: 10, ad_group_id: 712, keyword: 'oats', impressions: 40 },
    { ...cell, ad_group_id: 731, keyword: 'peach snacks', impressions: 50 },
  ],
  'facts/pla/market': [
    { ...cell, keyword: 'oats', impressions: 130, advertisers: 4 },
    { ...cell, hour: 10, keyword: 'oats', impressions: 300, advertisers: 5 },
    { ...cell, keyword: 'peach snacks', impressions: 500, advertisers: 9 },
  ],
});

const submit = async (change: object, key = 'key-ana') => {
  const request = { ...GOOD_REPORT, metrics: ['share_of_voice'], dimensions: [], sort: [], filters: [], ...change };
  const { status, body, headers } = await instance.send(
    'submit-report',
    reportRequest(JSON.stringify(request), { key, experience: 'pla', requestId: 'r-1' }),
  );
  return { status, body: Object(body), headers };
};

describe('share_of_voice through the whole function', () => {
  test('counts none of the caller’s advertisers as others, even if the report covers only one of them', async () => {
    const { body } = await submit({ advertiserIds: [11], dimensions: ['hour'] });
    expect(body.data).toEqual([
      { hour: 9, share_of_voice: null },
      { hour: 10, share_of_voice: 30 / 300 },
    ]);
    expect(body.meta.warnings).toMatchObject([
      { code: 'TABLE_LACKS_DAYS' },
      { code: 'PART_OF_THE_MARKET', field: 'share_of_voice' },
    ]);
    expect((await submit({ advertiserIds: [] })).body.data).toEqual([{ share_of_voice: 70 / 300 }]);
  });

  test('gets the same status, headers and body for a filter on a rival’s keyword as for one on an unknown keyword', async () => {
    const filtered = (keyword: string, key?: string) =>
      submit({ filters: [{ field: 'keyword', operator: 'LIKE', values: [keyword] }] }, key);
    const unknown = await filtered('no such keyword%');
    expect(unknown.body.data).toEqual([{ share_of_voice: null }]);
    expect(await filtered('peach%')).toEqual(unknown);
    expect((await filtered('peach%', 'key-zoe')).body.data).toEqual([{ share_of_voice: 50 / 500 }]);
  });

  test('counts none of the user’s advertisers as others, even if the key is limited to other accounts', async () => {
    const { key } = await createKey(service.table, 'ana', { accountIds: [2] });
    const { body } = await submit({ dimensions: ['hour'] }, key);
    expect(body.data).toEqual([
      { hour: 9, share_of_voice: null },
      { hour: 10, share_of_voice: 40 / 300 },
    ]);
    expect((await submit({ advertiserIds: [11] }, key)).status).toBe(403);
  });
});
