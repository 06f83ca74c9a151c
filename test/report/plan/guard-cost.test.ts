import { describe, expect, it } from 'vitest';
import type { DayEntry } from '../../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../../shared/catalog/segment-source.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import { rejectTooManyGroups } from '../../../shared/report/plan/guard-cost.ts';
import type { ReportQuery } from '../../../shared/report/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { SETTINGS } from '../../support/report-settings.ts';

const query: ReportQuery = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions'],
  dimensions: ['keyword'],
  filters: [],
  sort: [],
  pagination: { offset: 0, size: 10 },
};

/** @returns a source whose manifests declare the given number of rows per day; reading facts throws */
function sourceOf(rowsPerDay: number): SegmentSource {
  const column = { chunks: 3, bytes: rowsPerDay, distinct: 10 };
  const columns = new Map([
    ['keyword', column],
    ['impressions', column],
  ]);
  const days = Array.from(
    { length: 31 },
    (_, i): DayEntry => ({ day: i + 1, version: 1, rows: rowsPerDay, packed: false, columns }),
  );
  return {
    factHeads: async () =>
      new Map([
        [
          1,
          {
            advertiserId: 1,
            months: new Map([['pla', new Map([['delivery', ['2025-03']]])]]),
            latestDelivery: new Map(),
          },
        ],
      ]),
    manifests: async (refs) => refs.map((ref) => ({ ref, days })),
    days: () => {
      throw new Error('the facts were read');
    },
    rollups: () => {
      throw new Error('rollups were read');
    },
    dimensionTables: async () => new Map(),
  };
}

const run = (source: SegmentSource) =>
  runReport({ query, scope: { accountIds: new Set(), advertiserIds: [1] }, settings: SETTINGS, source });

describe('a report', () => {
  it('that would take too long is rejected before any facts are read, with the estimate and how to narrow it', async () => {
    const rejection = await run(sourceOf(20_000_000)).catch((error: unknown) => error);
    expect(rejection).toBeInstanceOf(ApiError);
    expect(rejection).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      status: 422,
      message:
        'It would read about 620,000,000 fact rows (1,240 MB) and take about 47 seconds; the limit is 18 seconds. Request fewer days or advertisers, remove a dimension with many values (hour, keyword, entity, placement), or group only by ad group, campaign, advertiser and date, for which there are rollups.',
      fields: [
        {
          in: 'body',
          pointer: '/endDate',
          code: 'TOO_EXPENSIVE',
          detail: 'Must span at most about 12 days with these dimensions and advertisers.',
        },
      ],
    });
  });

  it('that would not take too long reads its facts', async () => {
    await expect(run(sourceOf(1_000_000))).rejects.toThrow('the facts were read');
  });
});

describe('groups that would not fit into memory', () => {
  it('are rejected, by a limit that depends on the number of metrics', () => {
    expect(() => rejectTooManyGroups(8_333_333, query)).not.toThrow();
    expect(() => rejectTooManyGroups(8_333_334, query)).toThrow(
      'It has more than 8,333,333 rows, which is the limit for 1 metric.',
    );
  });
});
