import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import type { CostEstimate } from '../../../shared/report/query/report-input.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { dayRun } from '../../support/day-run.ts';
import { SETTINGS } from '../../support/report-settings.ts';

export const query: ReportQuery = {
  experience: 'pla',
  startDate: '2025-03-01',
  endDate: '2025-03-31',
  metrics: ['impressions'],
  dimensions: ['keyword'],
  filters: [],
  sort: [],
  pagination: { offset: 0, size: 10 },
};

/** @returns a source whose manifests declare the given number of rows per day, and of distinct keywords; reading facts throws */
export function sourceOf(rowsPerDay: number, distinct = 10): SegmentSource {
  const column = { chunks: 3, bytes: rowsPerDay, distinct };
  const columns = new Map([
    ['keyword', column],
    ['impressions', column],
  ]);
  const runs = Array.from({ length: 31 }, (_, i) => dayRun(i + 1, rowsPerDay, columns));
  return {
    factHeads: async () =>
      new Map([
        [
          1,
          {
            advertiserId: 1,
            months: new Map([['pla', new Map([['delivery', ['2025-03']]])]]),
            latestDelivery: new Map(),
            versions: new Map(),
          },
        ],
      ]),
    advertiserShards: async () => [],
    manifests: async (refs) => refs.map((ref) => ({ ref, runs })),
    runs: () => {
      throw new Error('the facts were read');
    },
    rollups: () => {
      throw new Error('rollups were read');
    },
    dimensionTables: async () => new Map(),
  };
}

/** Runs `query` with the given changes. */
export const run = (
  source: SegmentSource,
  { filters = [], onStart, ...changes }: Partial<ReportQuery> & { onStart?: (cost: CostEstimate) => void } = {},
  advertiserIds: readonly number[] = [1],
) =>
  runReport({
    query: { ...query, filters, ...changes },
    scope: { accountIds: new Set(), advertiserIds, ownAdvertiserIds: advertiserIds },
    settings: SETTINGS,
    source,
    ...(onStart === undefined ? {} : { onStart }),
  });
