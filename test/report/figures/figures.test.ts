import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { METRIC_NAMES } from '../../../shared/catalog/metrics.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { dataset } from '../../support/facts.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { storedSource } from '../../support/stored-source.ts';
import { compute, readFigures } from './figure-file.ts';
import { run, runWithGaps, warned } from './run.ts';

describe.each(globSync('*.txt', { cwd: import.meta.dirname }))('%s', (file) => {
  const tests = readFigures(readFileSync(join(import.meta.dirname, file), 'utf8'));
  test.each([...tests])('%s', async (_, reports) => {
    for (const report of reports) {
      const expected = [report.asked, ...report.result];
      expect([report.asked, ...(await compute(report))]).toEqual(expected);
      expect(['from days', report.asked, ...(await compute(report, false))]).toEqual(['from days', ...expected]);
    }
  });
});

const date = '2025-03-01';
const NOT_IN_TOA = ['opportunities', 'win_rate', 'share_of_voice', 'time_live'] as const;
const VIDEO_METRICS = METRIC_NAMES.filter((name) => name.startsWith('video_'));
test.each([
  ['toa', NOT_IN_TOA],
  ['pla', VIDEO_METRICS],
  ['carousel', []],
] as const)('exactly these metrics are undefined in %s: %j', async (experience, without) => {
  const delivery = { impressions: 1, opportunities: 1, video_starts: 1, video_completes: 1, video_total_duration: 2.5 };
  const everything = dataset({
    delivery: [{ experience, date, ...delivery, users: ['ann'] }],
    conversions: [{ experience, date, users: ['ann'] }],
    activity: [{ experience, date, live_seconds: 1, scheduled_seconds: 1 }],
    market: [{ experience, date, market_impressions: 4, market_advertisers: 4 }],
  });
  const report = await run(everything, { experience, metrics: METRIC_NAMES });
  const nulls = [...NOT_IN_TOA, ...VIDEO_METRICS].filter((name) => report.data[0]?.[name] === null);
  expect([nulls, warned(report)]).toEqual([without, without]);
});

/** Two groups of 4,097 and 4,096 users: of 8,193, the estimate was 8,005, below a row of the same report. */
test.each([
  [4_096, 8_192, [undefined, undefined, undefined]],
  [4_097, 8_193, [expect.any(Number), expect.any(Number), undefined]],
])(
  'of %d and 4,096 users, the total is %d, at least, and columns have a standard error from 8,193 on',
  async (first, total, errors) => {
    const [some, others] = [first, 4_096].map((count, i) =>
      Array.from({ length: count }, (_, user) => `${i} ${user} 0`),
    );
    const rows = [
      { date, keyword: 'a', users: some ?? [] },
      { date, keyword: 'b', users: others ?? [] },
    ];
    const metrics = ['unique_user_impressions', 'frequency', 'acos'] as const;
    const { headers, totals } = await run(dataset({ delivery: rows }), { metrics, dimensions: ['keyword'] });
    expect([totals.unique_user_impressions, headers.slice(1).map(({ standardError }) => standardError)]).toEqual([
      total,
      errors,
    ]);
  },
);

test('totals of users are never below a row', async () => {
  for (const count of [8_192, 8_193, 8_200, 9_000]) {
    const users = Array.from({ length: count }, (_, user) => `user ${user}`);
    const rows = [
      { date, keyword: 'a', users },
      { date, keyword: 'b', users: [...users.slice(1), 'another'] },
    ];
    const query = { metrics: ['unique_user_impressions'], dimensions: ['keyword'] } as const;
    const { data, totals } = await run(dataset({ delivery: rows }), query);
    const counts = data.map((row) => Number(row.unique_user_impressions));
    expect(Math.min(...counts)).toBeGreaterThan(8_191);
    expect(Number(totals.unique_user_impressions)).toBeGreaterThanOrEqual(Math.max(...counts, 8_193));
  }
});

test('a report without rows has no reason if a limit allows the report, but no other one', async () => {
  let reports = 0;
  const onStart = () => {
    reports += 1;
    if (reports > 1) throw new ApiError('TOO_MANY_REQUESTS', 'The API key may run 1 reports at the same time.');
  };
  const query = { metrics: ['cost'], dimensions: ['keyword'], onStart } as const;
  const filters = [{ field: 'keyword', operator: 'EQUALS', values: ['soy'] }] as const;
  const data = dataset({ delivery: [{ date, keyword: 'oats' }] });
  const { totalCount, meta } = await runWithGaps(data, { ...query, filters });
  expect([totalCount, reports]).toEqual([0, 2]);
  expect(meta.warnings.map(({ code }) => code)).not.toContain('NO_ROWS');
});

test('a report of all experiences reads of each only the measures of metrics that are defined there', async () => {
  const data = (['pla', 'toa', 'carousel'] as const).map((experience) => ({ date, experience, video_completes: 1 }));
  const source = await storedSource(dataset({ delivery: data }), { rollups: false });
  const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
  const query: ReportQuery = {
    ...{ experience: 'all', startDate: date, endDate: date, metrics: ['video_view_through_rate'], dimensions: [] },
    ...{ filters: [], sort: [], pagination: { offset: 0, size: 10 } },
  };
  await runReport({ query, scope, settings: SETTINGS, source });
  const measures = ['impressions', 'video_completes'];
  expect(source.log.days.map(({ ref, columns }) => [ref.experience, columns])).toEqual([
    ['pla', []],
    ['toa', measures],
    ['carousel', measures],
  ]);
});
