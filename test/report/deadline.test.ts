import { describe, expect, test } from 'vitest';
import { Deadline } from '../../shared/lib/deadline.ts';
import { ReportRows } from '../../shared/report/finish/report-rows.ts';
import { ReportMemory } from '../../shared/report/guard/report-memory.ts';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { Accumulators } from '../../shared/report/scan/accumulate.ts';
import { GroupTable } from '../../shared/report/scan/group-table.ts';
import { FractionSum } from '../../shared/report/sums/fraction-sum.ts';
import { MeasureSums } from '../../shared/report/sums/measure-sums.ts';
import { dataset } from '../support/facts.ts';
import { memorySource } from '../support/memory-source.ts';
import { SETTINGS } from '../support/report-settings.ts';

/*
 * A report that matched many patterns did not look at the clock for 28 s, so the function was killed: no response, no log line. These tests count the
 * looks at the clock, by the file that makes them; no time is measured.
 */

const KEYWORDS = 30_000;
const keyword = (i: number) => `keyword ${i}`;
const source = memorySource(
  dataset({
    accounts: [{ id: 1, name: 'Ann' }],
    advertisers: [{ id: 1, name: 'One', accountId: 1, accountIds: [1] }],
    campaigns: [{ id: 10, advertiserId: 1, name: 'Spring', startDate: '2025-03-01', status: 'ACTIVE' }],
    ad_groups: Array.from({ length: KEYWORDS }, (_, i) => ({
      ...{ id: i + 1, advertiserId: 1, campaignId: 10, name: `Ad group ${i}` },
      ...{ startDate: '2025-03-01', budget: 100, budgetType: 'DAILY' },
    })),
    delivery: Array.from({ length: KEYWORDS }, (_, i) => ({
      ...{ date: '2025-03-03', keyword: keyword(i), ad_group_id: i + 1 },
      ...{ impressions: i + 1, cost: 1, users: [`user ${i}`] },
    })),
  }),
);

const wide: ReportQuery = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions', 'unique_user_impressions', 'ad_group_status', 'campaign_status'],
  dimensions: ['ad_group_name', 'keyword'],
  filters: [
    { field: 'keyword', operator: 'LIKE_IN', values: ['%word%', 'x'] },
    { field: 'impressions', operator: 'GREATER_THAN', values: ['0'] },
  ],
  sort: [
    { field: 'ad_group_status', order: 'DESC' },
    { field: 'impressions', order: 'DESC' },
  ],
  pagination: { offset: 0, size: KEYWORDS },
};

const paced: ReportQuery = { ...wide, metrics: ['pacing'], dimensions: ['ad_group_name'], filters: [], sort: [] };

const run = (query: ReportQuery, deadline: Deadline) =>
  runReport({
    query,
    scope: { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] },
    settings: SETTINGS,
    source,
    deadline,
  });

/** The files of the engine with work that grows with the data. */
const WORKING_FILES = [
  'plan/joined-table.ts',
  'scan/select-rows.ts',
  'scan/axes.ts',
  'scan/group-rows.ts',
  'scan/group-table.ts',
  'scan/scan-facts.ts',
  'scan/accumulate.ts',
  'sums/measure-sums.ts',
  'run-report.ts',
  'finish/sort-keys.ts',
  'finish/sort-and-page.ts',
  'finish/describe-report.ts',
  'finish/report-rows.ts',
];

/** @returns the file of the engine that has looked at the clock */
function lookingFile(): string {
  const frames = (new Error().stack ?? '').split('\n').map((frame) => /shared\/report\/([\w/-]+\.ts)/.exec(frame)?.[1]);
  return frames.find((file) => file !== undefined) ?? '';
}

describe('a report', () => {
  test.each([
    ['with filters, users, attributes and a sort', wide, WORKING_FILES],
    ['with pacing', paced, ['pacing.ts']],
  ])(
    '%s looks at the clock in every file whose work grows with the data, and ends there when its deadline has passed',
    async (_, query, files) => {
      const looks: string[] = [];
      const report = await run(
        query,
        new Deadline(1, () => {
          looks.push(lookingFile());
          return 0;
        }),
      );
      expect(report.totalCount).toBe(KEYWORDS);
      expect([...new Set(looks)]).toEqual(expect.arrayContaining(files));
      for (const file of files) {
        let look = 0;
        const last = looks.lastIndexOf(file);
        const deadline = new Deadline(1, () => (look++ === last ? 1 : 0));
        await expect(run(query, deadline), file).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', status: 504 });
      }
    },
  );
});

describe('work that only large reports do checks the deadline, too', () => {
  const groups = Uint32Array.from({ length: 40_000 }, (_, i) => i + 1);
  let isPassed = false;
  const later = new Deadline(1, () => (isPassed ? 1 : 0));

  test.each<[string, (deadline: Deadline) => (() => unknown) | Promise<() => unknown>]>([
    [
      'growing the group table',
      (deadline) => {
        const table = new GroupTable(1, deadline);
        table.fit([groups.length]);
        table.addRows([groups.map((group) => group - 1)], undefined, new Uint32Array(groups.length));
        return () => table.fit([2 ** 25]);
      },
    ],
    [
      'growing the sums',
      (deadline) => {
        const sums = new MeasureSums(['clicks', 'cost'], groups.length, deadline);
        return () => sums.reserve(2 * groups.length);
      },
    ],
    [
      'taking interleaved sums',
      (deadline) => {
        const sums = new MeasureSums(['clicks', 'cost'], 350_000, deadline);
        return () => sums.take();
      },
    ],
    [
      'totalling the users of all groups',
      async (deadline) => {
        const facts = new Accumulators([], deadline);
        const offsets = Uint32Array.from({ length: groups.length + 1 }, (_, i) => i);
        const users = { rows: groups.length, hashes: Float64Array.from(groups), offsets, positions: offsets.slice(1) };
        await facts.addUsers('delivery', { kind: 'one', group: 1 }, users);
        await facts.addUsers('delivery', { kind: 'rows', groups: Uint32Array.of(0, ...groups) }, users);
        return () => facts.fold(groups);
      },
    ],
    [
      'dividing by a sum of many fractions',
      (deadline) => {
        const sum = new FractionSum();
        for (let i = 1; i <= 20_000; i++) sum.add(1, i);
        return () => sum.quotientOf(1, deadline);
      },
    ],
  ])('%s', async (_, prepare) => {
    isPassed = false;
    const work = await prepare(later);
    isPassed = true;
    expect(work).toThrow(expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }));
  });

  test('making rows for the result cache, which caches the rows made so far', () => {
    isPassed = false;
    const [groups, memory] = [Uint32Array.of(1), new ReportMemory()];
    const rows = new ReportRows(
      { groups, keys: [] },
      { ...wide, dimensions: [], metrics: [] },
      [],
      () => () => 1,
      memory,
    );
    expect([...rows.parts(1, later)]).toEqual([[[]]]); // one part, of one row without values
    isPassed = true;
    expect([...rows.parts(1, later)]).toEqual([]);
  });
});
