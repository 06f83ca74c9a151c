import { describe, expect, test } from 'vitest';
import type { SegmentSource } from '../../shared/layout/segment-reads.ts';
import { Deadline } from '../../shared/lib/deadline.ts';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { computeReport, runReport } from '../../shared/report/run-report.ts';
import { dataset } from '../support/facts.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { storedSource } from '../support/stored-source.ts';
import { daysOf, declaredSource } from './plan/declared-source.ts';

const query: ReportQuery = {
  ...{ experience: 'pla', startDate: '2025-03-01', endDate: '2025-03-31', metrics: ['share_of_voice'] },
  ...{ dimensions: ['keyword'], filters: [], sort: [], pagination: { offset: 0, size: 10 } },
};
const scope = { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] };
/** The same report of a caller who has another advertiser, too. */
const AGENCY = { ...scope, ownAdvertiserIds: [1, 2] };
const COLUMNS = ['hour', 'placement_id', 'division_banner', 'keyword', 'impressions'];

/** @returns a source that declares one row per day of delivery of advertiser 1, and these rows per day of others */
function sourceOf({ marketRows = 1, othersRows = 1 }: { marketRows?: number; othersRows?: number }): SegmentSource {
  const columns = [...COLUMNS, 'market_impressions', 'market_advertisers'];
  return declaredSource(({ table, advertiserId }) =>
    daysOf(table === 'market' ? marketRows : advertiserId === 1 ? 1 : othersRows, columns, 10),
  );
}

const run = (source: SegmentSource, changes: Partial<ReportQuery> = {}, by = scope) =>
  runReport({ query: { ...query, ...changes }, scope: by, settings: SETTINGS, source });
const rejectionOf = (source: SegmentSource) => run(source).catch((error: unknown) => error);

describe('the cost of reading market', () => {
  test('is estimated before any facts are read, and a rejection names share_of_voice', async () => {
    expect(await rejectionOf(sourceOf({ marketRows: 4_000_000 }))).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringMatching(
        /^It would read about 62 fact rows \(1 MB\) and take about 43 seconds; the limit is 18 seconds\. For share_of_voice, it also reads the market\. Request fewer days/,
      ),
      fields: [
        { pointer: '/endDate', detail: 'Must span at most about 13 days with these dimensions and advertisers.' },
      ],
    });
    await expect(run(sourceOf({ marketRows: 4_000_000 }), { metrics: ['impressions'] })).rejects.toThrow(
      'the facts were read',
    );
    await expect(run(sourceOf({ marketRows: 700_000 }))).rejects.toThrow('the facts were read');
  });

  test('includes the delivery of the caller’s other advertisers', async () => {
    const source = sourceOf({ othersRows: 4_000_000 });
    expect(await run(source, {}, AGENCY).catch((error: unknown) => error)).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      message: expect.stringMatching(
        /^It would read about 124,000,062 fact rows .* For share_of_voice, it also reads the market/,
      ),
    });
    await expect(run(source)).rejects.toThrow('the facts were read');
    await expect(run(source, { metrics: ['impressions'] }, AGENCY)).rejects.toThrow('the facts were read');
  });

  test('counts only days that filters select', async () => {
    const filters = [{ field: 'daily_date', operator: 'LESS_THAN', values: ['2025-03-09'] }] as const;
    await expect(run(sourceOf({ marketRows: 4_000_000 }), { filters })).rejects.toThrow('the facts were read');
  });

  test('is rounded, so that a rejection does not disclose the volume of other advertisers', async () => {
    const [fewer, more] = await Promise.all([
      rejectionOf(sourceOf({ marketRows: 3_000_000 })),
      rejectionOf(sourceOf({ marketRows: 4_100_000 })),
    ]);
    expect(fewer).toMatchObject({ code: 'REPORT_TOO_EXPENSIVE' });
    expect(JSON.stringify([fewer, String(fewer)])).toBe(JSON.stringify([more, String(more)]));
  });
});

const market = { placement_id: 1, market_impressions: 100, market_advertisers: 5 };
const data = dataset({
  delivery: [
    { date: '2025-03-03', placement_id: 1, impressions: 10 },
    ...[4, 5].map((day) => ({ advertiserId: 2, date: `2025-03-0${day}`, placement_id: 1, impressions: 10 })),
  ],
  market: Array.from({ length: 31 }, (_, i) => ({ date: `2025-03-${String(i + 1).padStart(2, '0')}`, ...market })),
});
const source = await storedSource(data);

describe('the number of rows read', () => {
  const scanned = async (changes: Partial<ReportQuery>, by = scope) => {
    const input = { query: { ...query, ...changes }, scope: by, settings: SETTINGS, source };
    return (await computeReport(input)).scannedRows;
  };

  test('includes the delivery and market rows that share_of_voice reads', async () => {
    expect(await scanned({ metrics: ['impressions'] })).toBe(1);
    expect(await scanned({})).toBe(1 + 1 + 31);
    expect(await scanned({ dimensions: ['conversion_source'] })).toBe(1 + 1 + 31);
  });

  test('includes those of the caller’s other advertisers if there is share_of_voice', async () => {
    expect(await scanned({}, AGENCY)).toBe(1 + 1 + 2 + 31);
    expect(await scanned({ metrics: ['impressions'] }, AGENCY)).toBe(1);
  });

  test('includes no market if the report has no impressions', async () => {
    expect(await scanned({ filters: [{ field: 'keyword', operator: 'LIKE', values: ['p%'] }] })).toBe(1 + 1);
  });
});

test('the deadline stops a report while it reads market, also if its segments arrive without a wait, as cached ones do', async () => {
  let isLate = false;
  const busy: SegmentSource = {
    ...source,
    async *runs(reads) {
      if (reads.some(({ ref }) => ref.table === 'market')) isLate = true;
      yield* source.runs(reads);
    },
  };
  const deadline = new Deadline(1, () => (isLate ? 1 : 0));
  await expect(runReport({ query, scope, settings: SETTINGS, source: busy, deadline })).rejects.toMatchObject({
    code: 'DEADLINE_EXCEEDED',
  });
});
