import { describe, expect, test } from 'vitest';
import { PLATFORM_ID, type RollupRead } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-reads.ts';
import type { Filter, ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useEngine } from '../../support/use-engine.ts';
import { load, openSource } from './check-rollups.ts';
import {
  checkStoredRollup,
  compareReports,
  DATES,
  facts,
  IDS,
  NETWORK,
  OWN,
  openBoth,
  randomQuery,
  readShards,
  scopeOf,
} from './check-shards.ts';

const engine = useEngine();

const OVERVIEW: ReportQuery = {
  ...{ experience: 'pla', startDate: '2026-01-01', endDate: '2026-03-31', filters: [], sort: [] },
  ...{ metrics: ['impressions', 'halo_roas'], dimensions: ['advertiser_id', 'month_date'] },
  pagination: { offset: 0, size: 1_000 },
};

describe('rollups of shards', () => {
  test('give the same reports as the advertisers one by one, after each of a series of random loads', async () => {
    const stored = await engine.createTable();
    const { table } = stored;
    const random = randomFrom(5);
    expect(await load(table, { ...NETWORK, ...facts(random, IDS, DATES) })).toBe('loaded');
    let read = await compareReports(table, random);
    for (let i = 0; i < 3; i++) {
      await load(table, facts(random, random.sample(IDS, 1 + random.int(30)), random.sample(DATES, 2)));
      read += await compareReports(table, random);
    }
    expect(read).toBeGreaterThan(20);
    await checkStoredRollup(stored);
  });

  test('lose the rows of days that a load empties, and a month that has no rows any more', async () => {
    const { table } = await engine.createTable();
    const random = randomFrom(6);
    await load(table, { ...NETWORK, ...facts(random, IDS, DATES) });
    const emptied = IDS.flatMap((advertiserId) =>
      DATES.filter((day) => day >= '2026-02').map((day) => ({
        experience: 'pla',
        table: 'delivery',
        advertiserId,
        day,
      })),
    );
    const deletions = [...emptied, ...emptied.map((deletion) => ({ ...deletion, table: 'conversions' }))];
    expect(await load(table, { deletions })).toBe('loaded');
    expect(await compareReports(table, random)).toBeGreaterThan(0);
    const [shard] = await readShards(table);
    expect([...(shard?.rollups.get('pla')?.keys() ?? [])]).toEqual(['2026-01']);
    expect([...(shard?.rollups.get('toa')?.keys() ?? [])]).toEqual(['2026-01', '2026-02', '2026-03']);
  });

  test('are read instead of the heads and rollups of their advertisers', async () => {
    const { table } = await engine.createTable();
    await load(table, { ...NETWORK, ...facts(randomFrom(9), IDS, DATES) });
    const { counted, plain } = await openBoth(table);
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
    expect(await readOf(counted)).toEqual({ heads: [PLATFORM_ID], rollups: [] });
    expect(await readOf(plain)).toEqual({ heads: [PLATFORM_ID, ...OWN], rollups: OWN });
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
      'facts/pla/delivery': ids.map((id) => ({ daily_date: '2026-02-01', hour: 1, ad_group_id: id, impressions: id })),
    };
    expect(await load(table, rows)).toBe('loaded');
    expect((await readShards(table)).map(({ advertiserIds }) => advertiserIds.length)).toEqual([128, 22]);
    const { counted, read } = await openBoth(table);
    const scope = { ...scopeOf(ids), ownAdvertiserIds: ids };
    const { data } = await runReport({ query: OVERVIEW, scope, settings: SETTINGS, source: counted });
    expect(data.map(({ impressions }) => impressions)).toEqual(ids);
    expect(read.shards).toBe(2);
  });

  test('are not read for reports by ad group, of users, with pacing, with filters on campaigns or with attributes', async () => {
    const { table } = await engine.createTable();
    await load(table, { ...NETWORK, ...facts(randomFrom(10), IDS, DATES) });
    const { counted, read } = await openBoth(table);
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
        await load(table, { ...NETWORK, advertisers: renamed ?? [], ...all });
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
      const query = randomQuery(random);
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
