import { expect, test } from 'vitest';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import { Deadline } from '../../shared/lib/deadline.ts';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { dataset } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';

const KEYWORDS = 500;
const days = ['2025-03-03', '2025-03-04', '2025-03-05'];
const source = await storedSource(
  dataset({
    delivery: days.flatMap((date) =>
      Array.from({ length: KEYWORDS }, (_, i) => ({ date, ad_group_id: 1, keyword: `keyword ${i}`, impressions: i })),
    ),
  }),
  { daysPerRun: 1 },
);
const query: ReportQuery = {
  ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: ['impressions'] },
  ...{ dimensions: ['keyword'], sort: [{ field: 'impressions', order: 'DESC' }] },
  filters: [{ field: 'keyword', operator: 'LIKE_IN', values: ['%word%', 'x'] }],
  pagination: { offset: 0, size: KEYWORDS },
};
const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
const run = (from: SegmentSource, deadline: Deadline) =>
  runReport({ query, scope, settings: SETTINGS, source: from, deadline });

test('a report whose deadline passes at any check ends with DEADLINE_EXCEEDED', async () => {
  let checks = 0;
  const report = await run(source, new Deadline(Number.POSITIVE_INFINITY, () => checks++));
  expect(report.totalCount).toBe(KEYWORDS);
  expect(checks).toBeGreaterThan(20); // reads, segments, 16 values of a filter, parts of the sort and of the page
  for (let last = 0; last < checks; last++) {
    let check = 0;
    const late = run(source, new Deadline(1, () => (check++ < last ? 0 : 1)));
    await expect(late, `check ${last} of ${checks}`).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED', status: 504 });
  }
});

test('a report ends between its segments, also if these arrive without a wait, as cached ones do', async () => {
  let read = 0;
  const counted: SegmentSource = {
    ...source,
    async *runs(reads) {
      for await (const run of source.runs(reads)) {
        read += 1;
        yield run;
      }
    },
  };
  const late = run(counted, new Deadline(1, () => (read < 2 ? 0 : 1)));
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(read).toBe(2);
});
