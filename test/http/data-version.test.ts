import { afterAll, describe, expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { GOOD_REPORT } from '../support/report-settings.ts';
import { reportRequest } from './support/gateway-event.ts';
import { contactsNamed, LISTINGS, PLA_DELIVERY } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
let instance = await service.start();
afterAll(() => service.close());

const PERIOD = { ...GOOD_REPORT, startDate: '2026-02-01', endDate: '2026-02-28', filters: [], sort: [] };

/** Reports of Ana, whose advertisers are 11 and 12, by what they read. */
const REPORTS = {
  totals: { metrics: ['impressions', 'clicks', 'halo_units'], dimensions: [] },
  campaigns: { metrics: ['impressions', 'cost'], dimensions: ['campaign_name', 'keyword'] },
  advertisers: { metrics: ['impressions'], dimensions: ['advertiser_name', 'accounts'] },
  share: { metrics: ['share_of_voice'], dimensions: ['keyword'] },
  placements: { metrics: ['impressions'], dimensions: ['placement'] },
} as const;
type Name = keyof typeof REPORTS;

const read = async (name: Name, change: object = {}) => {
  const request = JSON.stringify({ ...PERIOD, ...REPORTS[name], advertiserIds: [], ...change });
  const { status, body } = await instance.send('submit-report', reportRequest(request, { key: 'key-ana' }));
  expect(status).toBe(200);
  const { data, totals, meta } = Object(body);
  return { figures: { data, totals }, version: String(meta.dataVersion) };
};
const readAll = async () =>
  new Map(await Promise.all((Object.keys(REPORTS) as Name[]).map(async (name) => [name, await read(name)] as const)));

const rename = (listing: string, id: number, name: string) =>
  (LISTINGS[listing] ?? []).map((row) => (Object(row).id === id ? { ...row, name } : row));
const cell = { daily_date: '2026-02-01', hour: 9, keyword: 'oats' };
const ZOES = { 'facts/pla/delivery': [{ ...cell, ad_group_id: 731, keyword: 'cedar', impressions: 70 }] };

describe('dataVersion', () => {
  test.each<[string, Readonly<Record<string, readonly object[]>>]>([
    ['facts of another caller’s advertiser, on a day that has data', ZOES],
    [
      'a new user and changed contacts',
      {
        users: [...(LISTINGS.users ?? []), { userId: 'new', name: 'New', userType: 'CPG', accountIds: [1] }],
        contacts: contactsNamed('Eve'),
      },
    ],
    [
      'names of others',
      {
        advertisers: rename('advertisers', 31, 'Cedar & Sons'),
        accounts: rename('accounts', 3, 'Gamma & Sons'),
        campaigns: rename('campaigns', 63, 'Winter'),
        ad_groups: rename('ad_groups', 731, 'Foreign too'),
      },
    ],
  ])('stays the same after a load of %s', async (_, files) => {
    const before = await readAll();
    await service.load(files);
    expect(await readAll()).toEqual(before);
  });

  test('stays the same after a new key and a load of the same content, and is the same on another instance, page and period', async () => {
    const files = { ...LISTINGS, 'facts/pla/delivery': PLA_DELIVERY.slice(0, 3) };
    await service.load(files);
    const before = await readAll();
    await createKey(service.table, 'ana', { key: 'key-ana-2' });
    await service.load(files);
    instance = await service.start();
    expect(await readAll()).toEqual(before);
    const version = before.get('campaigns')?.version;
    for (const change of [{ pagination: { offset: 1, size: 1 } }, { startDate: '2026-01-01' }])
      expect((await read('campaigns', change)).version).toBe(version);
  });

  test.each<[string, Readonly<Record<string, readonly object[]>>, readonly Name[]]>([
    [
      'a day of an own advertiser',
      { 'facts/pla/delivery': [{ ...cell, ad_group_id: 701, impressions: 90 }] },
      ['totals', 'campaigns', 'advertisers', 'placements'],
    ],
    [
      'conversions',
      { 'facts/pla/conversions': [{ ...cell, ad_group_id: 701, halo_units: 3, halo_exposed_units: 3 }] },
      ['totals'],
    ],
    ['the market', { 'facts/pla/market': [{ ...cell, impressions: 900, advertisers: 9 }] }, ['share']],
    ['a campaign’s name', { campaigns: rename('campaigns', 61, 'Summer') }, ['campaigns']],
    ['an advertiser’s name', { advertisers: rename('advertisers', 11, 'Oat Hills') }, ['advertisers']],
    ['an account’s name', { accounts: rename('accounts', 1, 'Alpha & Sons') }, ['advertisers']],
    [
      'a new owner of an advertiser',
      {
        advertisers: (LISTINGS.advertisers ?? []).map((row) =>
          Object(row).id === 11 ? { ...row, accountIds: [1, 2] } : row,
        ),
      },
      ['advertisers'],
    ],
    [
      'a deletion',
      { deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 11, day: '2026-02-02' }] },
      ['totals'],
    ],
  ])('changes with the figures or names of a report: %s', async (_, files, expected) => {
    const before = await readAll();
    await service.load(files);
    const after = await readAll();
    const isChanged = (name: Name, of: 'figures' | 'version') =>
      JSON.stringify(before.get(name)?.[of]) !== JSON.stringify(after.get(name)?.[of]);
    const names = Object.keys(REPORTS) as Name[];
    const changed = names.filter((name) => isChanged(name, 'figures'));
    expect(changed).toEqual(expect.arrayContaining([...expected]));
    expect(names.filter((name) => isChanged(name, 'version'))).toEqual(expect.arrayContaining(changed));
  });

  test('changes where the first data of others turns a null into 0', async () => {
    const april = { startDate: '2026-04-01', endDate: '2026-04-30' };
    const before = await read('totals', april);
    await service.load({
      'facts/pla/delivery': [{ ...cell, daily_date: '2026-04-02', ad_group_id: 731, impressions: 1 }],
    });
    const after = await read('totals', april);
    expect([before, after].map(({ figures }) => figures.totals.impressions)).toEqual([null, 0]);
    expect(after.version).not.toBe(before.version);
  });
});
