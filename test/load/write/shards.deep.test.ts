import { describe, expect, test } from 'vitest';
import { PLATFORM_ID, type RollupRead } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import type { Filter, ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { type Random, randomFrom } from '../../oracle/random/random.ts';
import { randomOverview } from '../../oracle/random/random-overview.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import type { FolderRows } from '../support/network-rows.ts';
import { load, openSource, withoutShards } from './check-rollups.ts';

const engine = useEngine();

const OVERVIEW: ReportQuery = {
  ...{ experience: 'pla', startDate: '2026-01-01', endDate: '2026-03-31', filters: [], sort: [] },
  ...{ metrics: ['impressions', 'halo_roas'], dimensions: ['advertiser_id', 'month_date'] },
  pagination: { offset: 0, size: 1_000 },
};

describe('rollups of shards', () => {
  test('are read instead of the heads and rollups of their advertisers', async () => {
    const { table } = await engine.createTable();
    await load(table, { ...NETWORK, ...facts(randomFrom(9), IDS, DATES) });
    const source = await openSource(table);
    const readOf = async (source: SegmentSource) => {
      const heads: number[] = [];
      const rollupsOf = new Set<number>();
      const observed: SegmentSource = {
        ...source,
        factHeads(ids) {
          heads.push(...ids);
          return source.factHeads(ids);
        },
        rollups<R extends RollupRead>(reads: readonly R[]) {
          for (const { ref } of reads) if (!('shard' in ref)) rollupsOf.add(ref.advertiserId);
          return source.rollups(reads);
        },
      };
      await runReport({ query: OVERVIEW, scope: scopeOf(OWN), settings: SETTINGS, source: observed });
      return { heads: heads.sort((a, b) => a - b), rollups: [...rollupsOf].sort((a, b) => a - b) };
    };
    expect(await readOf(source)).toEqual({ heads: [PLATFORM_ID], rollups: [] });
    expect(await readOf(withoutShards(source))).toEqual({ heads: [PLATFORM_ID, ...OWN], rollups: OWN });
  });

  test('are of 128 advertisers at most', async () => {
    const { table } = await engine.createTable();
    const ids = Array.from({ length: 150 }, (_, i) => 9_000 + i);
    const accounts = { accounts: [{ id: 1, name: 'Own' }] };
    const running = { status: 'ACTIVE', startDate: '2026-01-01' };
    const rows = {
      ...accounts,
      advertisers: ids.map((id) => ({ id, name: `Elm ${id}`, accountId: 1 })),
      campaigns: ids.map((id) => ({ id, name: 'C', advertiserId: id, ...running })),
      ad_groups: ids.map((id) => ({ id, name: 'A', campaignId: id, ...running })),
      'facts/pla/delivery': ids.map((id) => {
        return { daily_date: '2026-02-01', hour: 1, ad_group_id: id, impressions: id, cost: 1 };
      }),
    };
    expect(await load(table, rows)).toBe('loaded');
    expect(
      (await (await openSource(table)).advertiserShards()).map(({ advertiserIds }) => advertiserIds.length),
    ).toEqual([128, 22]);
    const { counted, read } = await countShards(table);
    const scope = { ...scopeOf(ids), ownAdvertiserIds: ids };
    const { data } = await runReport({ query: OVERVIEW, scope, settings: SETTINGS, source: counted });
    expect(data.map(({ impressions }) => impressions)).toEqual(ids);
    expect(read.shards).toBe(2);
  });

  test('are not read for reports by ad group, of users, with pacing, with filters on campaigns or with attributes', async () => {
    const { table } = await engine.createTable();
    await load(table, { ...NETWORK, ...facts(randomFrom(10), IDS, DATES) });
    const { counted, read } = await countShards(table);
    const others: Partial<ReportQuery>[] = [
      { dimensions: ['ad_group_id'] },
      { metrics: ['unique_user_impressions'] },
      { metrics: ['pacing'] },
      { filters: [{ field: 'campaign_name', operator: 'LIKE', values: ['C 1%'] }] },
      { metrics: ['ad_group_budget'] },
    ];
    for (const parts of others) {
      await runReport({ query: { ...OVERVIEW, ...parts }, scope: scopeOf(OWN), settings: SETTINGS, source: counted });
      expect(read.shards).toBe(0);
    }
    await runReport({ query: OVERVIEW, scope: scopeOf(OWN), settings: SETTINGS, source: counted });
    expect(read.shards).toBe(3); // one shard in three months
  });

  test('show nothing of other users’ advertisers in the same shard, in rows, totals and warnings', async () => {
    const loadedAt = Date.now(); // of both, because reports state it
    const worlds = await Promise.all(
      [1, 2].map(async (world) => {
        const { table } = await engine.createTable();
        const others = IDS.filter((id) => !OWN.includes(id));
        const renamed = NETWORK.advertisers?.map((row) =>
          OWN.includes(Number(row.id)) ? row : { ...row, name: `elm secret ${world}` },
        );
        const foreign = facts(randomFrom(100 + world), others, DATES.slice(world));
        const own = facts(randomFrom(11), OWN, DATES);
        const all = Object.fromEntries(
          Object.keys(own).map((name) => [name, [...(own[name] ?? []), ...(foreign[name] ?? [])]]),
        );
        await load(table, { ...NETWORK, advertisers: renamed ?? [], ...all }, () => loadedAt);
        return openSource(table);
      }),
    );
    const random = randomFrom(12);
    const filters: Filter[] = ['elm SECRET 1', 'Elm secret 2', 'oak 3'].map((name) => ({
      field: 'advertiser_name',
      operator: 'EQUALS',
      values: [name],
    }));
    for (let i = 0; i < 40; i++) {
      const query = randomOverview(random);
      const input = {
        query: i % 3 === 0 ? { ...query, filters: [filters[(i / 3) % 3] ?? []].flat() } : query,
        scope: scopeOf(OWN),
        settings: SETTINGS,
      };
      const [first, second] = await Promise.all(
        worlds.map(async (source) => JSON.stringify(await runReport({ ...input, source }))),
      );
      expect(first).toBe(second);
      expect(first).not.toContain('secret 1"');
    }
  });
});

/** Every third belongs to the other account. */
const IDS = Array.from({ length: 36 }, (_, i) => 1_000 + i * 7);
const OWN = IDS.filter((_, i) => i % 3 !== 0);
const scopeOf = (advertiserIds: readonly number[]): ReportScope => ({
  accountIds: new Set([1]),
  advertiserIds,
  ownAdvertiserIds: OWN,
});
const NETWORK: FolderRows = {
  accounts: [
    { id: 1, name: 'Own' },
    { id: 2, name: 'Others' },
  ],
  advertisers: IDS.map((id, i) => ({
    id,
    name: `${i % 5 === 0 ? 'Oak' : 'Elm'} ${id % 20}`,
    accountId: i % 3 === 0 ? 2 : 1,
  })),
  campaigns: IDS.map((id) => ({ id, name: `C ${id}`, advertiserId: id, status: 'ACTIVE', startDate: '2026-01-01' })),
  ad_groups: IDS.flatMap((id) =>
    [0, 1].map((i) => ({ id: id * 2 + i, name: `A ${i}`, campaignId: id, status: 'ACTIVE', startDate: '2026-01-01' })),
  ),
};
const DATES = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-14', '2026-03-01'];

/** @returns delivery and conversions of some days of the advertisers; a day that is drawn again is replaced */
function facts(random: Random, ids: readonly number[], dates: readonly string[]): FolderRows {
  const days = ids.flatMap((id) => random.sample(dates, 1 + random.int(dates.length)).map((date) => ({ id, date })));
  const rows = (max: number, measures: () => object) =>
    days.flatMap(({ id, date }) =>
      Array.from({ length: 1 + random.int(max) }, (_, i) => ({
        ...{ daily_date: date, hour: random.int(24), ad_group_id: id * 2 + (i % 2) },
        ...measures(),
      })),
    );
  return {
    'facts/pla/delivery': rows(4, () => ({
      impressions: 1 + random.int(1e6),
      clicks: random.int(9),
      cost: (random.int(999) - 150) / 8,
    })),
    'facts/pla/conversions': rows(2, () => {
      const revenue = (random.int(9_999) - 1_500) / 100;
      return { halo_units: 2, halo_exposed_units: 2, halo_revenue: revenue, halo_exposed_revenue: revenue };
    }),
    'facts/toa/delivery': rows(2, () => ({ impressions: 1 + random.int(50), cost: 0.25 })),
  };
}

/** @returns a source that counts in `read` the rollups of shards that it reads */
async function countShards(table: Table) {
  const source = await openSource(table);
  const read = { shards: 0 };
  const counted: SegmentSource = {
    ...source,
    rollups<R extends RollupRead>(reads: readonly R[]) {
      read.shards += reads.filter(({ ref }) => 'shard' in ref).length;
      return source.rollups(reads);
    },
  };
  return { counted, read };
}
