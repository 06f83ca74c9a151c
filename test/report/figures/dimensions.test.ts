import { describe, expect, test } from 'vitest';
import { dataset } from '../../support/facts.ts';
import { run } from './run.ts';

describe('list dimensions', () => {
  const data = dataset({
    advertisers: [
      { id: 1, name: 'One', accountId: 1, accountIds: [1], brandNames: ['Oaty', 'Barley'] },
      { id: 2, name: 'Two', accountId: 1, accountIds: [1], brandNames: [] },
    ],
    ad_groups: [
      { id: 1, advertiserId: 1, campaignId: 10, segmentIds: ['s2', 's10', 's1'] },
      { id: 2, advertiserId: 1, campaignId: 10, segmentIds: null },
    ],
    delivery: [
      { date: '2025-03-01', ad_group_id: 1, impressions: 1 },
      { date: '2025-03-01', ad_group_id: 2, impressions: 2 },
      { date: '2025-03-01', ad_group_id: 7, advertiserId: 2, impressions: 4 },
    ],
  });

  test('a dimension with several values is one text with sorted members', async () => {
    const report = await run(data, { metrics: ['impressions'], dimensions: ['segment_ids', 'brand_names'] });
    expect(report.data).toEqual([
      { segment_ids: 's1, s10, s2', brand_names: 'Barley, Oaty', impressions: 1 },
      { segment_ids: null, brand_names: 'Barley, Oaty', impressions: 2 },
      { segment_ids: null, brand_names: null, impressions: 4 },
    ]);
  });
});

describe('account dimensions', () => {
  const data = dataset({
    accounts: [
      { id: 1, name: 'Zed' },
      { id: 2, name: 'Ann' },
      { id: 3, name: 'Foreign' },
    ],
    advertisers: [
      { id: 1, name: 'One', accountId: 2, accountIds: [1, 2, 3] },
      { id: 2, name: 'Two', accountId: 3, accountIds: [1, 3] },
    ],
    delivery: [
      { date: '2025-03-01', impressions: 3 },
      { date: '2025-03-01', advertiserId: 2, impressions: 4 },
    ],
  });

  test('accounts and primaryAccountName show only accounts of the caller', async () => {
    const dimensions = ['accounts', 'primaryAccountName'] as const;
    expect((await run(data, { metrics: ['impressions'], dimensions, accountIds: [1, 2] })).data).toEqual([
      { accounts: 'Ann, Zed', primaryAccountName: 'Ann', impressions: 3 },
      { accounts: 'Zed', primaryAccountName: 'Zed', impressions: 4 },
    ]);
    expect((await run(data, { metrics: ['impressions'], dimensions, accountIds: [1] })).data).toEqual([
      { accounts: 'Zed', primaryAccountName: 'Zed', impressions: 7 },
    ]);
  });

  test('primaryAccountName is the caller’s account with the lowest id if the primary one is foreign, so that no null reveals a co-owner', async () => {
    const shared = dataset({
      accounts: [3, 20, 100].map((id) => ({ id, name: `Account ${id}` })),
      advertisers: [{ id: 1, name: 'One', accountId: 3, accountIds: [3, 100, 20] }],
      delivery: [{ date: '2025-03-01', impressions: 1 }],
    });
    const primaryFor = async (accountIds: readonly number[]) =>
      (await run(shared, { metrics: [], dimensions: ['primaryAccountName'], accountIds })).data;
    expect(await primaryFor([20, 100])).toEqual([{ primaryAccountName: 'Account 20' }]);
    expect(await primaryFor([100])).toEqual([{ primaryAccountName: 'Account 100' }]);
    expect(await primaryFor([3, 20, 100])).toEqual([{ primaryAccountName: 'Account 3' }]);
  });
});

test('members of lists are sorted by code point: characters beyond the basic plane come last', async () => {
  const texts = ['\u{1F600}', '\uFF5E', 'z'];
  const data = dataset({
    accounts: texts.map((name, at) => ({ id: at + 1, name })),
    advertisers: [{ id: 1, name: 'One', accountId: 1, accountIds: [1, 2, 3], brandNames: texts }],
    ad_groups: [{ id: 1, advertiserId: 1, campaignId: 10, segmentIds: texts }],
    delivery: [{ date: '2025-03-01', impressions: 1 }],
  });
  const dimensions = ['accounts', 'brand_names', 'segment_ids'] as const;
  const joined = 'z, \uFF5E, \u{1F600}';
  expect((await run(data, { dimensions, accountIds: [1, 2, 3] })).data).toEqual([
    { accounts: joined, brand_names: joined, segment_ids: joined },
  ]);
});

describe('dimensions', () => {
  test('a conversion has the day and hour of the purchase, and the placement, keyword and entity of the credited touch', async () => {
    const touch = { placement_id: 1, keyword: 'oats', entity_id: '0000000000011' } as const;
    const data = dataset({
      delivery: [{ date: '2025-03-01', hour: 9, ...touch, impressions: 10 }],
      conversions: [{ date: '2025-03-03', hour: 20, ...touch, purchased_entity_id: '0000000000022', halo_units: 2 }],
    });
    const metrics = ['impressions', 'halo_units'] as const;
    expect((await run(data, { metrics, dimensions: ['daily_date', 'hour'] })).data).toEqual([
      { daily_date: '2025-03-01', hour: 9, impressions: 10, halo_units: 0 },
      { daily_date: '2025-03-03', hour: 20, impressions: 0, halo_units: 2 },
    ]);
    expect((await run(data, { metrics, dimensions: ['placement', 'keyword', 'entity_id'] })).data).toEqual([
      { placement: 'Search', keyword: 'oats', entity_id: '0000000000011', impressions: 10, halo_units: 2 },
    ]);
  });

  test('brand, department and the other product dimensions are those of the advertised product, not of the purchased one', async () => {
    const data = dataset({
      products: [
        { upc: '0000000000011', advertiserId: 1, name: 'Oats', brand: 'Oaty', department: 'Food' },
        { upc: '0000000000022', advertiserId: 1, name: 'Milk', brand: 'Moo', department: 'Dairy' },
      ],
      conversions: [
        { date: '2025-03-03', entity_id: '0000000000011', purchased_entity_id: '0000000000022', halo_units: 2 },
        { date: '2025-03-03', entity_id: '0000000000011', purchased_entity_id: '0000000000099', halo_units: 1 },
      ],
    });
    const dimensions = ['entity_name', 'brand', 'department', 'purchased_entity_id', 'purchased_entity_name'] as const;
    const oats = { entity_name: 'Oats', brand: 'Oaty', department: 'Food' };
    expect((await run(data, { metrics: ['halo_units'], dimensions })).data).toEqual([
      { ...oats, purchased_entity_id: '0000000000022', purchased_entity_name: 'Milk', halo_units: 2 },
      { ...oats, purchased_entity_id: '0000000000099', purchased_entity_name: null, halo_units: 1 },
    ]);
  });

  test('a week is its ISO Monday, and a month its first day, even outside the period', async () => {
    const data = dataset({
      delivery: [
        { date: '2025-03-02', impressions: 1 },
        { date: '2025-03-03', impressions: 2 },
        { date: '2025-03-09', impressions: 4 },
        { date: '2025-03-10', impressions: 8 },
      ],
    });
    const report = await run(data, {
      startDate: '2025-03-02',
      metrics: ['impressions'],
      dimensions: ['month_date', 'week_date'],
    });
    expect(report.data).toEqual([
      { month_date: '2025-03-01', week_date: '2025-02-24', impressions: 1 },
      { month_date: '2025-03-01', week_date: '2025-03-03', impressions: 6 },
      { month_date: '2025-03-01', week_date: '2025-03-10', impressions: 8 },
    ]);
  });

  test('equal values form one row, and missing values form a row of their own with null', async () => {
    const data = dataset({
      placements: [
        { id: 1, name: 'Search' },
        { id: 2, name: 'Search' },
      ],
      delivery: [1, 2, 99, null].map((placement_id, at) => ({
        date: '2025-03-01',
        placement_id,
        impressions: 10 ** at,
      })),
    });
    const report = await run(data, { metrics: ['impressions'], dimensions: ['placement'] });
    expect(report.data).toEqual([
      { placement: 'Search', impressions: 11 },
      { placement: null, impressions: 1100 },
    ]);
  });

  test('insertion orders are joined by campaign, and creatives by key across advertisers', async () => {
    const data = dataset({
      advertisers: [1, 2].map((id) => ({ id, name: `A${id}`, advertiserType: 'BRAND', accountId: 1, accountIds: [1] })),
      campaigns: [1, 2].map((id) => ({ id: id * 10, advertiserId: id, shortId: `c${id}`, name: 'Same' })),
      ad_groups: [1, 2].map((id) => ({ id, advertiserId: id, campaignId: id * 10 })),
      insertion_orders: [{ campaignId: 10, advertiserId: 1, billings: 'B1', ioTotalAmount: 12.5 }],
      creatives: [{ advertiserId: 1, key: 'hero', name: 'Hero' }],
      delivery: [1, 2].map((id) => ({
        date: '2025-03-01',
        advertiserId: id,
        ad_group_id: id,
        creative_key: 'hero',
        impressions: id,
      })),
    });
    const dimensions = ['campaign_name', 'campaign_short_id', 'billings', 'io_total_amount', 'creative_name'] as const;
    expect((await run(data, { metrics: ['impressions'], dimensions })).data).toEqual([
      {
        campaign_name: 'Same',
        campaign_short_id: 'c1',
        billings: 'B1',
        io_total_amount: 12.5,
        creative_name: 'Hero',
        impressions: 1,
      },
      {
        campaign_name: 'Same',
        campaign_short_id: 'c2',
        billings: null,
        io_total_amount: null,
        creative_name: 'Hero',
        impressions: 2,
      },
    ]);
  });

  test('campaigns and ad groups of different advertisers form one row if their names are equal', async () => {
    const data = dataset({
      advertisers: [1, 2].map((id) => ({ id, name: `A${id}`, accountId: 1, accountIds: [1] })),
      campaigns: [1, 2].map((id) => ({ id: id * 10, advertiserId: id, name: 'Same' })),
      ad_groups: [1, 2].map((id) => ({ id, advertiserId: id, campaignId: id * 10, name: 'Same' })),
      delivery: [1, 2].map((id) => ({ date: '2025-03-01', advertiserId: id, ad_group_id: id, impressions: id })),
    });
    const report = await run(data, { metrics: ['impressions'], dimensions: ['campaign_name', 'ad_group_name'] });
    expect(report.data).toEqual([{ campaign_name: 'Same', ad_group_name: 'Same', impressions: 3 }]);
  });
});
