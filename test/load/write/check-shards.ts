import { expect } from 'vitest';
import type { RollupRead } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-reads.ts';
import type { Filter, ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { readAdvertiserShards } from '../../../shared/store/facts/advertiser-shards.ts';
import { rollupChunkKeys } from '../../../shared/store/facts/stored-rollups.ts';
import type { Key } from '../../../shared/store/table/item-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import type { Random } from '../../oracle/random/random.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { TestTable } from '../../support/table.ts';
import type { FolderRows } from '../support/network-rows.ts';
import { load, openSource } from './check-rollups.ts';

/** Every third belongs to the other account. */
export const IDS = Array.from({ length: 36 }, (_, i) => 1_000 + i * 7);
export const OWN = IDS.filter((_, i) => i % 3 !== 0);
export const scopeOf = (advertiserIds: readonly number[]): ReportScope => ({
  accountIds: new Set([1]),
  advertiserIds,
  ownAdvertiserIds: OWN,
});
export const NETWORK: FolderRows = {
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
export const DATES = ['2026-01-30', '2026-01-31', '2026-02-01', '2026-02-14', '2026-03-01'];

/** @returns delivery and conversions of some days of the advertisers; a day that is drawn again is replaced */
export function facts(random: Random, ids: readonly number[], dates: readonly string[]): FolderRows {
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

/** @returns `plain`, a source that reads advertisers one by one, and `counted`, which counts in `read` the rollups of shards that it reads */
export async function openBoth(table: Table) {
  const source = await openSource(table);
  const read = { shards: 0 };
  const counted: SegmentSource = {
    ...source,
    rollups<R extends RollupRead>(reads: readonly R[]) {
      read.shards += reads.filter(({ ref }) => 'shard' in ref).length;
      return source.rollups(reads);
    },
  };
  return { counted, read, plain: { ...source, advertiserShards: async () => [] } };
}

export function randomQuery(random: Random): ReportQuery {
  const filters: Filter[] = [
    { field: 'advertiser_name', operator: 'LIKE', values: ['Oak%'] },
    { field: 'advertiser_name', operator: 'EQUALS', values: ['elm 3'] },
    { field: 'month_date', operator: 'EQUALS', values: ['2026-02-01'] },
    { field: 'clicks', operator: 'GREATER_THAN', values: ['3'] },
    { field: 'accounts', operator: 'NOT_NULL', values: [] },
  ];
  const metrics = [
    'impressions',
    'clicks',
    'cost',
    'halo_units',
    'halo_revenue',
    'halo_roas',
    'click_through_rate',
  ] as const;
  const dimensions = [
    'advertiser_id',
    'advertiser_name',
    'accounts',
    'daily_date',
    'week_date',
    'month_date',
    'experience_name',
  ] as const;
  return {
    experience: random.pick(['pla', 'toa', 'all']),
    startDate: random.pick(['2026-01-01', '2026-01-31', '2026-02-01']),
    endDate: random.pick(['2026-02-01', '2026-02-13', '2026-03-31']),
    metrics: random.sample(metrics, 1 + random.int(4)),
    dimensions: random.sample(dimensions, random.int(4)),
    filters: random.sample(filters, random.int(3)),
    sort: [],
    pagination: { offset: 0, size: 1_000 },
  };
}

/** Compares random reports from shards with the same reports of advertisers one by one. @returns how many rollups of shards were read */
export async function compareReports(table: Table, random: Random, reports = 12): Promise<number> {
  const { counted, read, plain } = await openBoth(table);
  for (let i = 0; i < reports; i++) {
    // of fewer than 16 advertisers of a shard, the shard is not read
    const advertiserIds = random.sample(OWN, 17 + random.int(OWN.length - 17)).sort((a, b) => a - b);
    const input = { query: randomQuery(random), scope: scopeOf(advertiserIds), settings: SETTINGS };
    expect(await runReport({ ...input, source: counted })).toEqual(await runReport({ ...input, source: plain }));
  }
  return read.shards;
}

/** Deletes what loads have superseded, as a load does an hour later, and compares the stored items of rollups with those of the shards. */
export async function checkStoredRollup({ table, content }: Pick<TestTable, 'table' | 'content'>): Promise<void> {
  await load(table, { accounts: NETWORK.accounts ?? [] }, () => Date.now() + 3_600_000);
  const listed = (await readShards(table)).flatMap(({ shard, rollups }) =>
    [...rollups].flatMap(([experience, months]) =>
      [...months].flatMap(([month, entry]) => rollupChunkKeys({ ref: { shard, experience, month }, entry })),
    ),
  );
  const stored = (await content()).filter(({ pk }) => /^SHARD#\d/.test(pk)).map(({ pk, sk }) => ({ pk, sk }));
  const order = ({ pk, sk }: Key) => `${pk} ${sk}`;
  expect(stored.map(order).sort()).toEqual(listed.map(order).sort());
}

export const readShards = async (table: Table) => readAdvertiserShards(table, await readCommit(table));
