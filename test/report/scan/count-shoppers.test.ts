import { describe, expect, it } from 'vitest';
import type { DimensionName } from '../../../shared/catalog/dimensions.ts';
import { DistinctSketch } from '../../../shared/columns/sketch.ts';
import type { RunEntry } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { DistinctShoppers } from '../../../shared/report/sums/distinct-shoppers.ts';
import { dataset } from '../../support/facts.ts';
import { collectGarbage } from '../../support/memory.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';
import { hashShopper } from '../../support/user-id-key.ts';

const users = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `user-${from + i}`);
/** Ad group 1 reaches 140,000 users on two days, some on both; ad group 2 reaches seven. */
const source = await storedSource(
  dataset({
    delivery: [
      { date: '2025-03-03', ad_group_id: 1, hour: 8, users: users(0, 100_000) },
      { date: '2025-03-04', ad_group_id: 1, hour: 9, users: users(50_000, 140_000) },
      { date: '2025-03-04', ad_group_id: 2, hour: 9, users: users(0, 7) },
    ],
  }),
  { rollups: false },
);

/** The same source, but its manifests declare all columns a hundred times larger: too large to read all users in one pass. */
const enlarged: SegmentSource = {
  ...source,
  manifests: async (refs) => (await source.manifests(refs)).map((manifest) => resize(manifest, (bytes) => bytes * 100)),
  runs: (reads) => source.runs(reads.map((read) => resize(read, (bytes) => bytes / 100))),
};

/** @returns the manifest or read with other sizes of all columns */
function resize<R extends { readonly runs: readonly RunEntry[] }>(read: R, sizeOf: (bytes: number) => number): R {
  const runs = read.runs.map((run) => ({
    ...run,
    columns: new Map([...run.columns].map(([name, column]) => [name, { ...column, bytes: sizeOf(column.bytes) }])),
  }));
  return { ...read, runs };
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

const hashes = Float64Array.from({ length: 30_000 }, (_, i) => hashShopper(`user ${i}`));
const hashAt = (i: number) => hashes[i % hashes.length] ?? 0;
/** The numbers of users at which a block is full, and at which users get a sketch and an estimate. */
const SIZES = [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 18, 31, 32, 33, 64, 500, 8_192, 8_193, 20_000];

function unionOf(sketches: readonly DistinctSketch[]): DistinctSketch {
  const union = new DistinctSketch();
  for (const sketch of sketches) union.merge(sketch);
  return union;
}

describe('the distinct users of many groups', () => {
  it('are counted as a sketch per group counts them, whatever the order and however often each is added', () => {
    const users = new DistinctShoppers();
    const sketches = SIZES.map(() => new DistinctSketch());
    for (let i = 0; i < 25_000; i++) {
      SIZES.forEach((size, index) => {
        if (size === 0 || i >= size * 1.25) return;
        const hash = hashAt((i % size) * 7 + index);
        users.add(index + 1, hash);
        sketches[index]?.add(hash);
      });
    }
    expect(SIZES.map((_, index) => users.countOf(index + 1))).toEqual(sketches.map((sketch) => sketch.estimate()));
    expect(SIZES.slice(0, -2).map((_, index) => users.countOf(index + 1))).toEqual(SIZES.slice(0, -2));
    const groups = Uint32Array.from(SIZES, (_, index) => index + 1);
    expect(users.fold(groups).countOf(1)).toBe(unionOf(sketches).estimate());
    expect(users.fold(groups.slice(0, 9)).countOf(1)).toBe(unionOf(sketches.slice(0, 9)).estimate());
  });

  it('have the same counts band by band as in one pass', () => {
    const below = 2 ** 44;
    const banded = new DistinctShoppers(below);
    const once = new DistinctShoppers();
    for (const isFirst of [true, false]) {
      if (!isFirst) banded.widen(2 ** 48);
      for (const [index, size] of SIZES.entries()) {
        for (const hash of hashes.subarray(0, size)) {
          if (hash < below === isFirst) banded.add(index + 1, hash);
          if (isFirst) once.add(index + 1, hash);
        }
      }
    }
    for (const [index] of SIZES.entries()) expect(banded.countOf(index + 1)).toBe(once.countOf(index + 1));
  });

  it('take a few bytes per group where the groups are small, of which each took a sketch of 400 to 520 bytes', () => {
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const users = new DistinctShoppers();
    for (let group = 1; group <= 100_000; group++) for (let i = 0; i < 4; i++) users.add(group, hashAt(group + i));
    collectGarbage();
    expect(users.countOf(99_999)).toBe(4);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 100_000);
  });
});
