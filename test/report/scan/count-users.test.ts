import { describe, expect, it } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import type { Manifest } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-reads.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { dataset } from '../../support/facts.ts';
import { memorySource } from '../../support/memory-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `user-${from + i}`);
/** Ad group 1 reaches 140,000 users on two days, some on both; ad group 2 reaches seven. */
const source = memorySource(
  dataset({
    delivery: [
      { date: '2025-03-03', ad_group_id: 1, hour: 8, users: users(0, 100_000) },
      { date: '2025-03-04', ad_group_id: 1, hour: 9, users: users(50_000, 140_000) },
      { date: '2025-03-04', ad_group_id: 2, hour: 9, users: users(0, 7) },
    ],
  }),
);

/** The same source, but its manifests declare all columns a hundred times larger: too large to read all users in one pass. */
const enlarged: SegmentSource = {
  ...source,
  manifests: async (refs) => (await source.manifests(refs)).map(enlarge),
};

function enlarge(manifest: Manifest): Manifest {
  const runs = manifest.runs.map((run) => ({
    ...run,
    columns: new Map([...run.columns].map(([name, column]) => [name, { ...column, bytes: column.bytes * 100 }])),
  }));
  return { ...manifest, runs };
}

/** @returns the columns of users that are read until the report is there */
async function bandsOf(report: () => Promise<unknown>): Promise<string[]> {
  const before = source.log.days.length;
  await report();
  const columns = source.log.days.slice(before).flatMap((day) => day.columns);
  return [...new Set(columns)].filter((name) => name.startsWith('users')).sort();
}

async function reach(
  source: SegmentSource,
  dimensions: readonly DimensionName[],
  adGroups = ['1', '2'],
  minUsers = '0',
) {
  const report = await runReport({
    query: {
      experience: 'pla',
      startDate: '2025-03-01',
      endDate: '2025-03-31',
      metrics: ['unique_user_impressions'],
      dimensions,
      filters: [
        { field: 'ad_group_id', operator: 'IN', values: adGroups },
        ...(minUsers === '0'
          ? []
          : [{ field: 'unique_user_impressions', operator: 'GREATER_THAN', values: [minUsers] } as const]),
      ],
      sort: [],
      pagination: { offset: 0, size: 100 },
    },
    scope: { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] },
    settings: SETTINGS,
    source,
  });
  return { rows: report.data, totals: report.totals };
}

describe('users that are too many for a single pass', () => {
  it.each<[string, DimensionName[]]>([
    ['one group', []],
    ['large and small groups', ['ad_group_id']],
    ['groups of hours', ['hour', 'daily_date']],
  ])('are counted band by band with the same result, in %s', async (_, dimensions) => {
    expect(await reach(enlarged, dimensions)).toEqual(await reach(source, dimensions));
  });

  it('are read from the first band only, where all groups are large', async () => {
    expect(await bandsOf(() => reach(enlarged, ['hour'], ['1']))).toEqual(['users_0']);
  });

  /** The total was 65,520 where only the first band was read. */
  it.each([
    ['no fact passes the filters', ['3'], '0'],
    ['no row passes a metric filter', ['1'], '1000000'],
  ])('have a total of 0 where %s', async (_, adGroups, minUsers) => {
    const report = await reach(enlarged, ['hour'], adGroups, minUsers);
    expect(report).toEqual({ rows: [], totals: { unique_user_impressions: 0 } });
  });

  it('are all read where a group is small, which is counted exactly', async () => {
    const report = async () => {
      const { rows } = await reach(enlarged, ['ad_group_id']);
      expect(rows.at(1)).toEqual({ ad_group_id: 2, unique_user_impressions: 7 });
    };
    expect(await bandsOf(report)).toEqual(['users_0', 'users_1', 'users_2']);
  });
});
