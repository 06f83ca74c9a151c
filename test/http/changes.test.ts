import { afterAll, describe, expect, test, vi } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { openPlatform } from '../../shared/identity/platform.ts';
import { call } from './support/gateway-event.ts';
import { LISTINGS, PLA_DELIVERY } from './support/network.ts';
import { openTestService } from './support/test-service.ts';

const LOADED = Date.parse('2026-02-03T06:00:00.000Z');
const at = (hours: number) => LOADED + hours * 3_600_000;
const iso = (hours: number) => new Date(at(hours)).toISOString();

const service = await openTestService({ files: {} });
afterAll(() => service.close());
await service.load({ ...LISTINGS, 'facts/pla/delivery': PLA_DELIVERY }, () => at(0));

async function changes(key: string, query: Readonly<Record<string, string>> = {}) {
  const instance = await service.start(); // clocks of loads advance by hours, so that states of a moment ago are deleted
  const sent = await instance.send('list-changes', { key: `key-${key}`, query: Object.entries(query) });
  return { ...sent, body: Object(sent.body) };
}
const next = async (key: string) => (await changes(key)).body.meta.next;
/** Loads rows of an ad group on a day. */
const load = (hours: number, daily_date: string, ad_group_id: number, impressions = 9) =>
  service.load({ 'facts/pla/delivery': [{ daily_date, hour: 9, ad_group_id, impressions }] }, () => at(hours));

describe('GET /metadata/changes', () => {
  test('without since has no changes, only where to go on, and the advertisers of the key', async () => {
    const { body } = await changes('ana');
    expect(body).toEqual({
      data: [],
      listings: [],
      meta: {
        next: expect.stringMatching(/^[\w-]{8}\.\d+$/),
        ...{ advertiserIds: [11, 12], page: { size: 1000, hasMore: false } },
      },
    });
  });

  test('since a time has the loads at that time and later, with the listings of the caller', async () => {
    const { body } = await changes('ana', { since: iso(0) });
    expect(body.data).toEqual([
      {
        ...{ advertiserId: 11, experience: 'pla', table: 'delivery', from: '2026-02-01', to: '2026-02-02' },
        ...{ changedAt: iso(0), kind: 'loaded' },
      },
    ]);
    expect(body.listings).toEqual(
      ['advertisers', 'placements', 'campaigns', 'ad_groups', 'products'].map((name) => ({ name, changedAt: iso(0) })),
    );
    expect(body.meta.next).toBe(await next('ana'));
    expect((await changes('ana', { since: new Date(at(0) + 1).toISOString() })).body.data).toEqual([]);
    expect((await changes('ana', { since: '2026-02-03T01:00:00.000-05:00' })).body).toEqual(body);
    expect((await changes('nobody', { since: iso(0) })).body).toMatchObject({ data: [], meta: { advertiserIds: [] } });
  });

  test('lists what was loaded, restated and emptied since a token, each day once, and nothing of a load of equal rows', async () => {
    const token = await next('ana');
    await load(1, '2026-02-03', 701);
    await load(2, '2026-02-02', 702, 5);
    await load(3, '2026-02-03', 701, 8);
    await load(4, '2026-02-03', 701, 8);
    const deletions = [{ experience: 'pla', table: 'delivery', advertiserId: 11, day: '2026-02-01' }];
    await service.load({ deletions }, () => at(5));
    const { body } = await changes('ana', { since: token });
    const of = (day: string, hours: number, kind: string) => ({
      ...{ advertiserId: 11, experience: 'pla', table: 'delivery', from: day, to: day, changedAt: iso(hours), kind },
    });
    expect(body.data).toEqual([
      of('2026-02-02', 2, 'restated'),
      of('2026-02-03', 3, 'restated'),
      of('2026-02-01', 5, 'emptied'),
    ]);
    expect(body.listings).toEqual([]);
    expect((await changes('ana', { since: body.meta.next })).body).toMatchObject({ data: [], listings: [] });
    expect(await next('ana')).toBe(body.meta.next);
  });

  test('has pages that show one commit: what is loaded meanwhile comes after them', async () => {
    const token = await next('ana');
    for (const [i, day] of ['2026-01-05', '2026-01-07', '2026-01-09', '2026-01-11'].entries())
      await load(6 + i, day, 701);
    const from = (body: { data: { from: string }[] }) => body.data.map((change) => change.from);
    const first = await changes('ana', { since: token, size: '2' });
    expect([from(first.body), first.body.meta.page]).toEqual([
      ['2026-01-05', '2026-01-07'],
      { size: 2, hasMore: true },
    ]);
    await load(10, '2026-01-09', 701, 77);
    await load(11, '2026-01-12', 701);
    const second = await changes('ana', { since: first.body.meta.next, size: '2' });
    expect([from(second.body), second.body.meta.page.hasMore]).toEqual([['2026-01-11'], false]);
    const rest = await changes('ana', { since: second.body.meta.next });
    expect(from(rest.body)).toEqual(['2026-01-09', '2026-01-12']);
  });

  test('splits the changes of one load between pages', async () => {
    const token = await next('ana');
    const days = ['01', '03', '05', '07', '09'].map((day) => `2026-01-${day}`);
    const rows = days.map((daily_date) => ({ daily_date, hour: 3, ad_group_id: 701, impressions: 4, clicks: 1 }));
    await service.load({ 'facts/pla/delivery': rows, 'facts/toa/delivery': rows }, () => at(12));
    const found: string[] = [];
    for (let since = token, hasMore = true; hasMore; ) {
      const { body } = await changes('ana', { since, size: '3' });
      expect(body.data.length).toBeLessThanOrEqual(3);
      for (const { experience, from } of body.data) found.push(`${experience} ${from}`);
      ({
        next: since,
        page: { hasMore },
      } = body.meta);
    }
    expect(found).toEqual(['pla', 'toa'].flatMap((name) => days.map((day) => `${name} ${day}`)));
  });

  test('has the listings whose rows of the caller’s advertisers changed, and no others', async () => {
    const token = await next('ana');
    const zoe = await next('zoe');
    const rename = (name: string, id: number) => (row: object) => (Object(row).id === id ? { ...row, name } : row);
    await service.load({ campaigns: LISTINGS.campaigns?.map(rename('Fall', 63)) ?? [] }, () => at(13));
    expect((await changes('ana', { since: token })).body).toMatchObject({ listings: [], meta: { next: token } });
    expect((await changes('zoe', { since: zoe })).body.listings).toEqual([{ name: 'campaigns', changedAt: iso(13) }]);
    await service.load({ advertisers: LISTINGS.advertisers?.map(rename('Oats', 11)) ?? [] }, () => at(14));
    await service.load({ placements: LISTINGS.placements?.map(rename('Start', 22)) ?? [] }, () => at(15));
    await service.load({ creatives: [{ key: 'c1', name: 'Banner', advertiserId: 12 }] }, () => at(16));
    expect((await changes('ana', { since: token })).body.listings).toEqual([
      { name: 'advertisers', changedAt: iso(14) },
      { name: 'placements', changedAt: iso(15) },
      { name: 'creatives', changedAt: iso(16) },
    ]);
  });

  test('has what the listings of placements and products show, and nothing without rows', async () => {
    const token = await next('ana');
    const set = (id: number, change: object) => (row: object) => (Object(row).id === id ? { ...row, ...change } : row);
    const load = (hours: number, name: string, id: number, change: object) =>
      service.load({ [name]: LISTINGS[name]?.map(set(id, change)) ?? [] }, () => at(hours));
    const listed = async () => (await changes('ana', { since: token })).body.listings;
    await load(16.1, 'placements', 21, { priceFloor: '0.36' });
    expect(await listed()).toEqual([{ name: 'placements', changedAt: iso(16.1) }]);
    await load(16.2, 'products', 9001, { price: '9' });
    expect(await listed()).toHaveLength(1);
    await load(16.3, 'products', 8001, { price: '9' });
    expect(await listed()).toContainEqual({ name: 'products', changedAt: iso(16.3) });
    await load(16.4, 'ad_groups', 702, { productIds: [8003] });
    expect(await listed()).toContainEqual({ name: 'products', changedAt: iso(16.4) });
    expect((await changes('ana', { since: '1970-01-01T00:00:00Z' })).status).toBe(200);
  });

  test('shows an advertiser that moves between accounts by meta.advertiserIds, with what changed meanwhile', async () => {
    const token = await next('zoe');
    const move = (accountIds: readonly number[]) => (row: object) =>
      Object(row).id === 31 ? { ...row, accountId: accountIds[0], accountIds } : row;
    const moveTo = (accountIds: readonly number[], hours: number) =>
      service.load({ advertisers: LISTINGS.advertisers?.map(move(accountIds)) ?? [] }, () => at(hours));
    await moveTo([2], 17);
    expect((await changes('zoe', { since: token })).body.meta.advertiserIds).toEqual([12]);
    expect((await changes('ana')).body.meta.advertiserIds).toEqual([11, 12, 31]);
    await load(18, '2026-02-02', 731, 70);
    expect((await changes('zoe', { since: token })).body.data).toEqual([]);
    await moveTo([3], 19);
    const { body } = await changes('zoe', { since: token });
    expect(body.meta.advertiserIds).toEqual([12, 31]);
    expect(body.data).toMatchObject([{ advertiserId: 31, from: '2026-02-02', kind: 'restated', changedAt: iso(18) }]);
  });

  test('has times that never decrease, whatever the clocks of loaders', async () => {
    const token = await next('ana');
    await load(-50, '2026-01-20', 701);
    await load(-60, '2026-01-22', 701);
    const times = (await changes('ana', { since: token })).body.data.map(
      ({ changedAt }: { changedAt: string }) => changedAt,
    );
    expect(times).toEqual([new Date(at(19) + 1).toISOString(), new Date(at(19) + 2).toISOString()]);
  });

  test.each(['', 'yesterday', '2026-02-03', '2026-02-30T00:00:00Z', 'abcdefgh.', 'abcdefgh.1.2', `${'a'.repeat(400)}`])(
    'rejects since=%s',
    async (since) => {
      const { status, body } = await changes('ana', { since });
      expect([status, body.errors]).toMatchObject([422, [{ in: 'query', pointer: 'since', code: 'WRONG_FORMAT' }]]);
    },
  );

  test('is gone for a token of another table, and says where to go on', async () => {
    const { status, body } = await changes('ana', { since: `abcdefgh.${at(0)}` });
    expect([status, body.code]).toEqual([410, 'CHANGES_GONE']);
    const [, token = ''] = /since=(\S+),/.exec(body.detail) ?? [];
    expect(token).toBe(await next('ana'));
    expect((await changes('ana', { since: token })).status).toBe(200);
  });

  test('is gone where changes are no longer kept, for those who lack them only', async () => {
    const before = await next('ana');
    const [old, ofZoe] = [await next('ana'), await next('zoe')];
    await load(30, '2026-02-04', 701);
    await load(24 * 450, '2026-02-05', 701);
    await load(24 * 900, '2026-02-06', 701);
    expect((await changes('ana', { since: old })).status).toBe(410);
    expect((await changes('zoe', { since: ofZoe })).status).toBe(200);
    expect((await changes('ana', { since: iso(24 * 900) })).body.data).toHaveLength(1);
    expect(await next('ana')).not.toBe(before);
  });

  test('leaves out advertisers that the key must not see', async () => {
    await createKey(service.table, 'ana', { key: 'key-limited', accountIds: [2] });
    await load(24 * 901, '2026-02-07', 701);
    const { body } = await changes('limited', { since: iso(24 * 901) });
    expect(body).toMatchObject({ data: [], meta: { advertiserIds: [12] } });
  });
});

test('an unchanged answer takes at most 3 read units of an instance that knows the caller, and 5 of another', async () => {
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const { create } = await import('../../functions/list-changes.ts');
  const platform = openPlatform();
  vi.spyOn(platform.commits, 'recent').mockImplementation((table) => platform.commits.current(table)); // as after a second
  const handler = create({ ...platform, table: platform.table.metered(meter) });
  const request = {
    ...{ resource: '/metadata/changes', headers: [['Ocp-Apim-Subscription-Key', 'key-ana'] as const] },
    query: [['since', await next('ana')] as const],
  };
  const unitsOf = async () => {
    meter.readUnits = 0;
    expect((await call(handler, request)).body).toMatchObject({ data: [] });
    return meter.readUnits;
  };
  expect(await unitsOf()).toBeLessThanOrEqual(5);
  expect(await unitsOf()).toBeLessThanOrEqual(3);
});
