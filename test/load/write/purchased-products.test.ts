import { expect, test } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { MetricName } from '../../../shared/catalog/metrics.ts';
import { SPLIT_MEASURES } from '../../../shared/catalog/tables.ts';
import type { LoadOptions } from '../../../shared/load/load-folder.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { outcomeOf, tableWith } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const engine = useEngine();

/** Ad group 1001 has chosen product 11; 1000 has none, so that it advertises the products 11 and 12 of advertiser 10. */
const purchase = (units: number, ad_group_id: number, entity_id?: string, purchased_entity_id?: string) => ({
  ...{ daily_date: '2026-03-01', hour: 0, ad_group_id, entity_id, purchased_entity_id },
  ...{ halo_units: units, halo_exposed_units: units, halo_revenue: units, halo_exposed_revenue: 2 * units },
});
const PURCHASES = [
  purchase(1, 1000, '11', '11'),
  purchase(2, 1000, '11', '0000000000012'),
  purchase(4, 1000, '12'),
  purchase(8, 1000, undefined, '12'),
  purchase(16, 1000, undefined, '13'),
  purchase(32, 1001, undefined, '11'),
  purchase(64, 1001, undefined, '12'),
  purchase(128, 1001),
];
const UNKNOWN = [purchase(256, 1000, '11'), purchase(512, 1001)].map((row) => ({ ...row, daily_date: '2026-03-02' }));
const DELIVERY = [1000, 1001, 1100].map((ad_group_id) => ({
  ...{ daily_date: '2026-03-01', hour: 0, ad_group_id, impressions: 1 },
  cost: 10,
}));
const METRICS: readonly MetricName[] = [
  ...(['halo_units', 'direct_units', 'other_units', 'direct_exposed_revenue', 'other_exposed_revenue'] as const),
  'direct_roas',
];

/** @returns the rows of advertisers 10 and 11 by the dimension, and the totals, as texts */
async function report(table: Table, dimension: DimensionName, advertiserIds: readonly number[] = [10, 11]) {
  const { data, totals } = await runReport({
    query: {
      ...{ experience: 'pla', startDate: '2026-03-01', endDate: '2026-03-31', filters: [], sort: [] },
      ...{ metrics: METRICS, dimensions: [dimension], pagination: { offset: 0, size: 100 } },
    },
    scope: { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds },
    settings: SETTINGS,
    source: openSegmentSource(table, await readCommit(table)),
  });
  return [...data, { [dimension]: 'total', ...totals }].map((row) =>
    [dimension, ...METRICS].map((name) => String(row[name])).join(' '),
  );
}

const load = async (table: Table, rows: readonly object[], options: Partial<LoadOptions> = {}) =>
  expect(await outcomeOf({ 'facts/pla/conversions': rows.map((row) => ({ ...row })) }, table, options)).toEqual([
    'loaded',
  ]);

test('purchases are direct or other by the row’s product, the ad group’s or the advertiser’s; unknown ones are in neither', async () => {
  const facts = { 'facts/pla/delivery': DELIVERY, 'facts/pla/conversions': [...PURCHASES, ...UNKNOWN] };
  const table = await tableWith(engine, { ...NETWORK, ...facts });
  const total = 'total 1023 41 82 82 164 1.3666666666666667';
  expect(await report(table, 'ad_group_id')).toEqual([
    '1000 287 9 18 18 36 0.9',
    '1001 736 32 64 64 128 3.2',
    '1100 0 0 0 0 0 0',
    total,
  ]);
  // from days and a rollup
  const byDay = ['2026-03-01 255 41 82 82 164 1.3666666666666667', '2026-03-02 768 null null null null null', total];
  expect(await report(table, 'daily_date')).toEqual(byDay);
  expect(await report(table, 'advertiser_id')).toEqual(['10 1023 41 82 82 164 2.05', '11 0 0 0 0 0 0', total]);
  expect(await report(table, 'entity_id')).toEqual([
    '0000000000011 259 1 2 2 4 null',
    '0000000000012 4 null null null null null',
    'null 760 40 80 80 160 null', // delivery has no entity_id
    total,
  ]);
  expect(await report(table, 'purchased_entity_id')).toEqual([
    '0000000000011 33 33 0 66 0 null',
    '0000000000012 74 8 66 16 132 null',
    '0000000000013 16 0 16 0 32 null',
    'null 900 null null null null null',
    total,
  ]);
});

test('a day that is loaded again or by hours has the parts of its present rows', async () => {
  const table = await tableWith(engine, { ...NETWORK, 'facts/pla/conversions': PURCHASES });
  const days = async () => (await report(table, 'daily_date', [10])).slice(0, -1);
  expect(await days()).toEqual(['2026-03-01 255 41 82 82 164 null']);
  await load(table, [{ ...purchase(1000, 1000, '11'), hour: 1 }], { replace: 'hours' });
  expect(await days()).toEqual(['2026-03-01 1255 41 82 82 164 null']);
  await load(table, [purchase(1, 1000, '11')], { replace: 'hours' });
  expect(await days()).toEqual(['2026-03-01 1001 null null null null null']);
  await load(table, [purchase(3, 1000, '11', '12')]);
  expect(await days()).toEqual(['2026-03-01 3 0 3 0 6 null']);
});

test('a day without a known product is stored without parts, and one that loses them is the same', async () => {
  const table = await tableWith(engine, { ...NETWORK, 'facts/pla/conversions': UNKNOWN });
  const partsOf = async () => {
    const ref = { advertiserId: 10, experience: 'pla', table: 'conversions', month: '2026-03' } as const;
    const [manifest] = await openSegmentSource(table, await readCommit(table)).manifests([ref]);
    const names = (manifest?.runs ?? []).flatMap(({ columns }) => [...columns.keys()]);
    return names.filter((name) => SPLIT_MEASURES.some(({ direct, other }) => name === direct || name === other));
  };
  expect(await partsOf()).toEqual([]);
  const known = purchase(1, 1000, '11', '11');
  await load(table, [...UNKNOWN, { ...known, hour: 5, daily_date: '2026-03-02' }]);
  expect(await partsOf()).toHaveLength(8);
  await load(table, [{ ...purchase(1, 1000), hour: 5, daily_date: '2026-03-02' }], { replace: 'hours' });
  expect(await partsOf()).toEqual([]);
});

const [FIRST, ADVERTISERS] = [100, 16];
const ids = Array.from({ length: ADVERTISERS }, (_, index) => FIRST + index);

/** @returns the sum of a metric over 16 advertisers, which are read as one shard, or 15, which are read one by one; and the read units */
async function sumOf(table: Table, metric: MetricName, advertiserIds: readonly number[]) {
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const metered = table.metered(meter);
  const { totals } = await runReport({
    query: {
      ...{ experience: 'pla', startDate: '2026-03-01', endDate: '2026-03-31', filters: [], sort: [] },
      ...{ metrics: [metric], dimensions: [], pagination: { offset: 0, size: 1 } },
    },
    scope: { accountIds: new Set([1]), advertiserIds, ownAdvertiserIds: advertiserIds },
    settings: SETTINGS,
    source: openSegmentSource(metered, await readCommit(metered)),
  });
  return { sum: totals[metric], units: meter.readUnits };
}

test.each([
  ['a shard', ids],
  ['rollups of advertisers', ids.slice(1)],
])('%s: only reports with parts of purchases read these', async (_, advertiserIds) => {
  const rows = ids.flatMap((id) => Array.from({ length: 28 }, (_, day) => ({ id, date: 1 + day })));
  const table = await tableWith(engine, {
    ...{ accounts: [{ id: 1, name: 'One' }], users: [{ userId: 'u', name: 'Ann', userType: 'CPG', accountIds: [1] }] },
    advertisers: ids.map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1 })),
    campaigns: ids.map((id) => ({ id, name: 'Spring', advertiserId: id, startDate: '2026-01-01', status: 'ACTIVE' })),
    ad_groups: ids.map((id) => ({ id, name: 'Search', campaignId: id, status: 'ACTIVE' })),
    'facts/pla/conversions': rows.map(({ id, date }) => ({
      ...purchase(date * id, id, '11', date % 2 === 0 ? '11' : '12'),
      daily_date: `2026-03-${String(date).padStart(2, '0')}`,
    })),
  });
  const all = advertiserIds.reduce((sum, id) => sum + id, 0);
  const whole = await sumOf(table, 'halo_units', advertiserIds);
  const direct = await sumOf(table, 'direct_units', advertiserIds);
  expect([whole.sum, direct.sum]).toEqual([406 * all, 210 * all]); // of the days 1 to 28, and of the even ones
  expect(direct.units).toBeGreaterThan(whole.units);
});
