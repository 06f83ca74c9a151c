import { describe, expect, test } from 'vitest';
import { SHOPPER_BANDS } from '../../../shared/columns/column.ts';
import type { RollupEntry } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import type { Weekday } from '../../../shared/lib/calendar.ts';
import { NO_DEADLINE } from '../../../shared/lib/deadline.ts';
import { loadJoins } from '../../../shared/report/plan/joins.ts';
import { planReads, type ReadPlan } from '../../../shared/report/plan/plan-reads.ts';
import { planReport } from '../../../shared/report/plan/plan-report.ts';
import { selectAdvertisers } from '../../../shared/report/plan/select-advertisers.ts';
import { openFacts } from '../../../shared/report/plan/shards.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import { warnPartialUnits } from '../../../shared/report/warnings/warn-days.ts';
import { dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';

const data = dataset({
  advertisers: [1, 2].map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1, accountIds: [1] })),
  delivery: [
    { date: '2025-02-27', clicks: 1 },
    { date: '2025-03-02', clicks: 1 },
    { date: '2025-03-09', clicks: 1 },
    { date: '2025-03-03', advertiserId: 2, ad_group_id: 7, clicks: 1 },
    { date: '2025-03-02', experience: 'toa', clicks: 1 },
  ],
  conversions: [{ date: '2025-03-02', halo_units: 1 }],
});
const fromDays = await storedSource(data, { rollups: false, daysPerRun: 1 });
const fromRollups = await storedSource(data, { daysPerRun: 1 });
const SCOPE: ReportScope = { accountIds: new Set([1]), advertiserIds: [1, 2], ownAdvertiserIds: [1, 2] };

const QUERY: ReportQuery = {
  ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: ['clicks'], dimensions: [] },
  ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
};

async function plannedReads(source: SegmentSource, parts: Partial<ReportQuery>): Promise<ReadPlan> {
  const plan = planReport({ ...QUERY, ...parts });
  const joins = await loadJoins(source, [plan], SCOPE, SETTINGS);
  const context = { source, joins };
  const selected = selectAdvertisers(plan, joins, SCOPE, NO_DEADLINE);
  return planReads(context, plan, selected, await openFacts(context, [plan], SCOPE));
}

/** @returns the plan in short form: days as numbers, rollups as `advertiser/month of tables` */
function summarize({ days, rollups, shopperBands }: ReadPlan) {
  return {
    days: days.map(({ scan, partitions }) => [
      scan.table,
      ...partitions.map((read) => ({
        partition: `${read.ref.advertiserId}/${read.ref.month}`,
        days: read.runs.map(({ day }) => day),
        columns: read.columns,
      })),
    ]),
    rollups: rollups.map(({ ref, scans }) => {
      const tables = scans.map(({ table }) => table).join(' and ');
      const owner = 'shard' in ref ? `shard ${ref.shard}` : ref.advertiserId;
      return `${owner}/${ref.month} of ${tables}`;
    }),
    shopperBands: shopperBands.map(({ column }) => column),
  };
}

const UNIDENTIFIED = 'unidentified_impressions';
const ALL_BANDS = SHOPPER_BANDS.map(({ column }) => column);
const NO_ROLLUPS = { rollups: [], shopperBands: ALL_BANDS };

describe('the reads of a report', () => {
  test('are the existing days of the period in its experience, with the columns that it needs', async () => {
    const reads = await plannedReads(fromDays, {
      metrics: ['clicks', 'halo_units'],
      dimensions: ['placement', 'daily_date', 'advertiser_name'],
    });
    expect(summarize(reads)).toEqual({
      ...NO_ROLLUPS,
      days: [
        [
          'delivery',
          { partition: '1/2025-03', days: [2, 9], columns: ['placement_id', 'clicks'] },
          { partition: '2/2025-03', days: [3], columns: ['placement_id', 'clicks'] },
        ],
        ['conversions', { partition: '1/2025-03', days: [2], columns: ['placement_id', 'halo_units'] }],
      ],
    });
  });

  test('omit the days and advertisers that filters exclude', async () => {
    const filters = [
      { field: 'daily_date', operator: 'LESS_THAN', values: ['2025-03-09'] },
      { field: 'advertiser_name', operator: 'EQUALS', values: ['Advertiser 1'] },
      { field: 'keyword', operator: 'IS_NULL', values: [] },
    ] as const;
    expect(summarize(await plannedReads(fromDays, { filters }))).toEqual({
      ...NO_ROLLUPS,
      days: [['delivery', { partition: '1/2025-03', days: [2], columns: ['keyword', 'clicks'] }]],
    });
  });

  test('include the ad groups and cost for pacing, and the users of all bands where they are few', async () => {
    const reads = await plannedReads(fromDays, {
      metrics: ['pacing', 'unique_user_impressions'],
      startDate: '2025-02-01',
      endDate: '2025-02-28',
    });
    expect(summarize(reads)).toEqual({
      ...NO_ROLLUPS,
      days: [
        [
          'delivery',
          { partition: '1/2025-02', days: [27], columns: ['ad_group_id', 'cost', UNIDENTIFIED, ...ALL_BANDS] },
        ],
      ],
    });
  });

  test('are the rollups where these have the dimensions, whatever part of the month the period covers', async () => {
    const reads = await plannedReads(fromRollups, {
      startDate: '2025-02-28',
      dimensions: ['campaign_id', 'week_date'],
    });
    expect(summarize(reads)).toEqual({
      days: [['delivery']],
      rollups: ['1/2025-02', '1/2025-03', '2/2025-03'].map((month) => `${month} of delivery`),
      shopperBands: ALL_BANDS,
    });
  });

  test('are days where the rollup lacks a dimension', async () => {
    const reads = await plannedReads(fromRollups, { dimensions: ['hour'] });
    expect(summarize(reads)).toEqual({
      ...NO_ROLLUPS,
      days: [
        [
          'delivery',
          { partition: '1/2025-03', days: [2, 9], columns: ['hour', 'clicks'] },
          { partition: '2/2025-03', days: [3], columns: ['hour', 'clicks'] },
        ],
      ],
    });
  });

  test.each([
    [
      'are the rollups in a period of 8 days',
      '2025-03-08',
      { days: [['delivery']], rollups: ['1/2025-03 of delivery', '2/2025-03 of delivery'] },
    ],
    [
      'are the days in a period of 7 days',
      '2025-03-07',
      {
        days: [
          [
            'delivery',
            { partition: '1/2025-03', days: [2], columns: [UNIDENTIFIED, ...ALL_BANDS] },
            { partition: '2/2025-03', days: [3], columns: [UNIDENTIFIED, ...ALL_BANDS] },
          ],
        ],
        rollups: [],
      },
    ],
  ])('of users %s', async (_, endDate, expected) => {
    const reads = await plannedReads(fromRollups, { endDate, metrics: ['unique_user_impressions'] });
    expect(summarize(reads)).toEqual({ ...expected, shopperBands: ALL_BANDS });
  });

  test('mix rollups and days where only some advertisers have the rollup', async () => {
    const partly: SegmentSource = {
      ...fromRollups,
      factHeads: async (ids) =>
        new Map(
          [...(await fromRollups.factHeads(ids))].map(([id, head]) => [
            id,
            id === 1 ? head : { ...head, rollups: new Map() },
          ]),
        ),
    };
    expect(summarize(await plannedReads(partly, {}))).toEqual({
      days: [['delivery', { partition: '2/2025-03', days: [3], columns: ['clicks'] }]],
      rollups: ['1/2025-03 of delivery'],
      shopperBands: ALL_BANDS,
    });
  });

  /** @returns the source with each rollup entry replaced by `change(entry)` */
  const withEntries = (source: SegmentSource, change: (entry: RollupEntry) => RollupEntry): SegmentSource => ({
    ...source,
    factHeads: async (ids) =>
      new Map(
        [...(await source.factHeads(ids))].map(([id, head]) => {
          const entries = [...(head.rollups?.get('pla') ?? [])].map(([month, entry]) => {
            return [month, change(entry)] as const;
          });
          return [id, { ...head, rollups: new Map([['pla', new Map(entries)]]) }];
        }),
      ),
  });

  test('are the days of a table that the rollup lacks', async () => {
    const source = withEntries(fromRollups, (entry) => {
      const rows = [...entry.rows].filter(([table]) => table !== 'conversions');
      return { ...entry, rows: new Map(rows) };
    });
    const reads = await plannedReads(source, { dimensions: ['ad_group_id'], metrics: ['clicks', 'halo_units'] });
    expect(summarize(reads)).toEqual({
      days: [
        ['delivery'],
        ['conversions', { partition: '1/2025-03', days: [2], columns: ['ad_group_id', 'halo_units'] }],
      ],
      rollups: ['1/2025-03 of delivery', '2/2025-03 of delivery'],
      shopperBands: ALL_BANDS,
    });
  });

  test.each([
    [4_000_000, ALL_BANDS],
    [4_000_002, ['users_0']],
  ])('include all bands of users only up to 4 MB: %i bytes', async (bytes, bands) => {
    const large: SegmentSource = {
      ...fromDays,
      manifests: async (refs) =>
        (await fromDays.manifests(refs)).map((manifest) => ({
          ...manifest,
          runs: manifest.runs.map((run) => ({
            ...run,
            columns: new Map([...run.columns].map(([name, column]) => [name, { ...column, bytes: bytes / 6 }])), // 3 bands of 2 days
          })),
        })),
    };
    const filters = [{ field: 'advertiser_id', operator: 'EQUALS', values: ['1'] }] as const;
    const reads = await plannedReads(large, { metrics: ['unique_user_impressions'], filters });
    expect(summarize(reads)).toEqual({
      ...{ rollups: [], shopperBands: bands },
      days: [['delivery', { partition: '1/2025-03', days: [2, 9], columns: [UNIDENTIFIED, ...bands] }]],
    });
  });
});

const warn = (period: string, dimensions: ReportQuery['dimensions'], weekStartsOn: Weekday) => {
  const [startDate = '', endDate = ''] = period.split('..');
  const plan = planReport({ ...QUERY, startDate, endDate, dimensions });
  const warnings = warnPartialUnits({ plan, settings: { ...SETTINGS, weekStartsOn }, found: undefined });
  return warnings.map(({ field, detail }) => `${field}: ${detail}`);
};

test.each<[string, Parameters<typeof warn>[1], Weekday, string[]]>([
  ['2026-03-22..2026-03-28', ['week_date'], 'Sunday', []],
  ['2026-02-01..2026-02-28', ['month_date', 'daily_date'], 'Monday', []],
  ['2026-02-01..2026-02-28', ['daily_date', 'hour'], 'Monday', []],
  [
    '2026-02-01..2026-02-28',
    ['week_date', 'quarter_date'],
    'Saturday',
    [
      'week_date: The period has only 6 of the 7 days of the week of 2026-01-31, and 1 of the 7 days of the week of 2026-02-28.',
      'quarter_date: The period has only 28 of the 90 days of the quarter of 2026-01-01.',
    ],
  ],
  [
    '2026-02-10..2026-02-12',
    ['month_date'],
    'Monday',
    ['month_date: The period has only 3 of the 28 days of the month of 2026-02-01.'],
  ],
])('%s by %j, with weeks from %s, cuts %j', (period, dimensions, start, expected) => {
  expect(warn(period, dimensions, start)).toEqual(expected);
});
