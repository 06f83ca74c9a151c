import { beforeEach, describe, expect, test } from 'vitest';
import type { LoadReport } from '../../shared/load/check/load-report.ts';
import { loadRows, outcomeOf } from '../load/support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from '../load/support/network-rows.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { type Instance, openTestService, type TestService } from './support/test-service.ts';

/* Advertiser 10 belongs to account 1, 11 to both accounts; so `u-two` is a competitor of 10. */
const USERS = [...(NETWORK.users ?? []), { userId: 'u-two', name: 'Tove', userType: 'AGENCY', accountIds: [2] }];
const BASE: FolderRows = { ...NETWORK, users: USERS };
/** What a system exports that lists nothing of advertiser 10 any more. */
const WITHOUT_TEN: FolderRows = {
  advertisers: (NETWORK.advertisers ?? []).filter(({ id }) => id === 11),
  campaigns: (NETWORK.campaigns ?? []).filter(({ id }) => id === 110),
  ad_groups: (NETWORK.ad_groups ?? []).filter(({ id }) => id === 1100),
  products: (NETWORK.products ?? []).filter(({ id }) => id === 22),
  placements: (NETWORK.placements ?? []).filter(({ id }) => id === 2),
  creatives: [],
  insertion_orders: [],
};
const DIMENSIONS = [
  ...[
    'advertiser_id',
    'advertiser_name',
    'accounts',
    'primaryAccountName',
    'campaign_id',
    'campaign_name',
    'ad_group_id',
  ],
  ...[
    'ad_group_name',
    'segment_ids',
    'creative_key',
    'creative_name',
    'io_name',
    'io_number',
    'placement',
    'entity_id',
  ],
  ...['entity_name', 'brand', 'department', 'purchased_entity_name'],
];

let service: TestService;
let instance: Instance;

beforeEach(async () => {
  const users = USERS.map(({ userId }) => String(userId));
  service = await openTestService({ users, files: { ...BASE, ...FACTS } });
  instance = await service.start();
  return () => service.close();
});

async function load(rows: FolderRows): Promise<LoadReport> {
  const report = await loadRows(rows, service.table, { timeZone: 'America/New_York' });
  instance = await service.start();
  return report;
}

async function rowsBy(user: string, dimension: string, experience = 'pla'): Promise<readonly object[]> {
  const change = {
    dimensions: [dimension],
    metrics: ['impressions', 'cost', 'halo_revenue', 'campaign_status', 'pacing'],
  };
  const body = { ...GOOD_REPORT, ...change, startDate: '2026-03-01', endDate: '2026-03-31' };
  const request = reportRequest(JSON.stringify(body), { key: `key-${user}`, experience, requestId: 'r' });
  return Object((await instance.send('submit-report', request)).body).data;
}

/** @returns all that reports say of the past, by user, experience and dimension */
async function readPast(): Promise<Record<string, readonly object[]>> {
  const past: Record<string, readonly object[]> = {};
  for (const user of ['u-agency', 'u-cpg', 'u-two']) {
    for (const dimension of DIMENSIONS) {
      past[`${user} ${dimension}`] = await rowsBy(user, dimension);
      past[`${user} ${dimension} carousel`] = await rowsBy(user, dimension, 'carousel');
    }
  }
  return past;
}

/** @returns the ids that the listing endpoints show a user of both accounts, and the status of the products of ad group 1001 */
async function readListed() {
  const idsOf = async (name: 'list-advertisers' | 'list-campaigns' | 'list-ad-groups' | 'list-placements') => {
    const query = name === 'list-placements' ? [] : [['account_id', '1'] as const];
    const { body } = await instance.send(name, { key: 'key-u-agency', query });
    return Object(body).data.map((item: object) => Object(item).id);
  };
  const products = await instance.send('list-available-products', {
    key: 'key-u-agency',
    pathParameters: { ad_group_id: '1001' },
  });
  return {
    advertisers: await idsOf('list-advertisers'),
    campaigns: await idsOf('list-campaigns'),
    adGroups: await idsOf('list-ad-groups'),
    placements: await idsOf('list-placements'),
    products: products.status,
  };
}

const ALL_LISTED = {
  advertisers: [10, 11],
  campaigns: [100, 110],
  adGroups: [1000, 1001, 1100],
  placements: [1, 2],
  products: 200,
};
const WITHOUT_TEN_LISTED = { advertisers: [11], campaigns: [110], adGroups: [1100], placements: [2], products: 404 };

describe('rows that a new listing leaves out', () => {
  test('leave the listing endpoints, and no report of the past changes', async () => {
    const past = await readPast();
    expect(await readListed()).toEqual(ALL_LISTED);
    const report = await load(WITHOUT_TEN);
    expect(report.outcome).toBe('loaded');
    expect(report.warnings).toEqual(
      expect.arrayContaining([
        'campaigns.ndjson: 1 campaign is no longer listed; reports keep its name',
        'ad_groups.ndjson: 2 ad_groups are no longer listed; reports keep their names',
        'advertisers.ndjson: 1 advertiser is no longer listed; reports keep its name',
        'products.ndjson: 2 products are no longer listed; reports keep their names',
      ]),
    );
    expect(report.listings.find(({ listing }) => listing === 'ad_groups')?.rows).toBe(1);
    expect(await readListed()).toEqual(WITHOUT_TEN_LISTED);
    expect(await readPast()).toEqual(past);
    expect(past['u-agency campaign_name']?.map((row) => Object(row).campaign_name)).toEqual(['Always', 'Spring']);
    for (const [name, rows] of Object.entries(past)) {
      if (name.startsWith('u-two'))
        expect(JSON.stringify(rows)).not.toMatch(/Spring|Narrow|Wide|Banner|IO|Oats|Ten|Ácme/);
    }
    // a load of the same files changes nothing, and its warnings are not repeated
    expect(await load(WITHOUT_TEN)).toMatchObject({
      outcome: 'unchanged',
      warnings: [
        'creatives.ndjson: no rows, so the listing creatives is empty now',
        'insertion_orders.ndjson: no rows, so the listing insertion_orders is empty now',
      ],
    });
  });

  test('return with a later listing or patch, and take facts meanwhile', async () => {
    const past = await readPast();
    await load(WITHOUT_TEN);
    const { campaigns = [], ad_groups = [], advertisers = [] } = NETWORK;
    const late = {
      daily_date: '2026-03-04',
      hour: 1,
      ad_group_id: 1001,
      placement_id: 1,
      entity_id: '11',
      creative_key: 'k1',
      conversion_source: 'ONLINE',
      purchased_entity_id: '11',
      halo_revenue: 5,
      halo_exposed_revenue: 5,
    };
    expect(await load({ 'facts/pla/conversions': [late] })).toMatchObject({ outcome: 'loaded', warnings: [] });
    await load({ deletions: [{ experience: 'pla', table: 'conversions', advertiserId: 10, day: '2026-03-04' }] });
    const patches = { 'campaigns.patch': campaigns.slice(0, 1), 'ad_groups.patch': ad_groups.slice(0, 1) };
    expect(await load(patches)).toMatchObject({
      listings: [
        { rows: 2, changes: { added: 1 } },
        { rows: 2, changes: { added: 1 } },
      ],
    });
    // the campaign of an advertiser that is not listed is not listed either
    expect(await readListed()).toEqual(WITHOUT_TEN_LISTED);
    await load({ advertisers });
    expect(await readListed()).toEqual({ ...ALL_LISTED, adGroups: [1001, 1100], placements: [2] });
    expect(await readPast()).toEqual(past);
    await load(BASE);
    expect(await readListed()).toEqual(ALL_LISTED);
    expect(await readPast()).toEqual(past);
  });

  test('may be renamed while they are not listed, and a product with the UPC of one takes its place', async () => {
    await load(WITHOUT_TEN);
    await load({ 'products.patch': [{ id: 99, advertiserId: 10, upc: '11', name: 'Rye bread' }] });
    const names = (await rowsBy('u-cpg', 'entity_name')).map((row) => Object(row).entity_name);
    expect(names).toEqual(expect.arrayContaining(['Rye bread', 'Oats']));
    expect(names).not.toContain('Rye');
  });
});

const deleted = (...ids: readonly (number | string)[]) =>
  ids.map((id) => (typeof id === 'string' ? { key: id, deleted: true } : { id, deleted: true }));

describe('rows that a patch deletes', () => {
  const DELETIONS: FolderRows = {
    'advertisers.patch': deleted(10),
    'campaigns.patch': deleted(100),
    'ad_groups.patch': deleted(1000, 1001),
    'products.patch': deleted(20, 21),
    'placements.patch': deleted(1),
    'creatives.patch': deleted('k1'),
    'insertion_orders.patch': [{ campaignId: 100, deleted: true }],
  };

  test.each(['from the listings', 'after a listing has left them out'])(
    'have their ids for names in reports: %s',
    async (when) => {
      const past = await readPast();
      if (when !== 'from the listings') await load(WITHOUT_TEN);
      expect((await load(DELETIONS)).outcome).toBe('loaded');
      expect(await readListed()).toEqual(WITHOUT_TEN_LISTED);
      for (const same of ['campaign_id', 'ad_group_id', 'advertiser_id', 'creative_key', 'entity_id']) {
        const withoutStatus = (rows: readonly object[] = []) =>
          rows.map(({ ...row }) => ({ ...row, campaign_status: 0, pacing: 0 }));
        expect(withoutStatus(await rowsBy('u-cpg', same))).toEqual(withoutStatus(past[`u-cpg ${same}`]));
      }
      const [byId] = await rowsBy('u-cpg', 'campaign_id');
      expect(byId).toMatchObject({ campaign_id: 100, campaign_status: null, pacing: null });
      const namesBy = async (dimension: string) =>
        (await rowsBy('u-cpg', dimension)).map((row) => Object(row)[dimension]);
      expect(await namesBy('campaign_name')).toEqual(['100', 'Always']);
      expect(await namesBy('ad_group_name')).toEqual(['1000', '1001', 'Other']);
      expect(await namesBy('advertiser_name')).toEqual(['10', 'Eleven']);
      expect(await namesBy('placement')).toEqual(['1', 'Home', null]);
      expect(await namesBy('creative_name')).toEqual(['k1', null]);
      expect(await namesBy('entity_name')).toEqual(['0000000000011', '0000000000012', 'Rye too', null]);
      expect(await namesBy('io_name')).toEqual([null]);
      expect((await load(DELETIONS)).outcome).toBe('unchanged');
    },
  );

  test('take no facts any more, and their ids stay with their advertiser', async () => {
    await load(DELETIONS);
    const delivery = { daily_date: '2026-03-05', hour: 1, ad_group_id: 1001, impressions: 1 };
    const options = { timeZone: 'America/New_York' };
    expect(await outcomeOf({ 'facts/pla/delivery': [delivery] }, service.table, options)).toEqual([
      'rejected',
      'facts/pla/delivery.ndjson:1: ad_group_id 1001 is not among the ad_groups: a patch deleted it, and npx endcap audit says when',
    ]);
    const moved = { id: 1001, name: 'Moved', campaignId: 110, status: 'ACTIVE' };
    expect((await load({ 'ad_groups.patch': [moved] })).outcome).toBe('rejected');
  });
});
