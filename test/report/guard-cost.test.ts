import { describe, expect, it } from 'vitest';
import type { DayEntry } from '../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../shared/catalog/segment-source.ts';
import { ApiError } from '../../shared/lib/errors.ts';
import { rejectTooManyGroups } from '../../shared/report/plan/guard-cost.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { SETTINGS } from '../support/report-settings.ts';

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

/** An advertiser whose manifests promise that many rows a day; it fails the test when facts are read. */
function promising(rowsADay: number): SegmentSource {
  const column = { chunks: 3, bytes: rowsADay, distinct: 10 };
  const columns = new Map([
    ['keyword', column],
    ['impressions', column],
  ]);
  const days = Array.from(
    { length: 31 },
    (_, i): DayEntry => ({ day: i + 1, version: 1, rows: rowsADay, packed: false, columns }),
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

const ask = (source: SegmentSource) =>
  runReport({ query, scope: { accountIds: new Set(), advertiserIds: [1] }, settings: SETTINGS, source });

describe('a report that cannot be answered in time', () => {
  it('is refused before a fact is read, with the estimate and how to narrow it', async () => {
    const refusal = await ask(promising(20_000_000)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({
      code: 'REPORT_TOO_EXPENSIVE',
      status: 422,
      message:
        'It would read about 620,000,000 fact rows (1,240 MB) and take about 47 seconds; 18 is the most. Ask for fewer days or advertisers, drop a fine dimension (hour, keyword, entity, placement), or ask by ad group, campaign or advertiser and day: that is answered from rollups.',
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

  it('one that can is read', async () => {
    await expect(ask(promising(1_000_000))).rejects.toThrow('the facts were read');
  });
});

describe('groups that would not fit into memory', () => {
  it('are refused by how many the metrics leave room for', () => {
    expect(() => rejectTooManyGroups(8_333_333, query)).not.toThrow();
    expect(() => rejectTooManyGroups(8_333_334, query)).toThrow(
      'It has more than 8,333,333 rows, which is the most with 1 metrics.',
    );
  });
});
