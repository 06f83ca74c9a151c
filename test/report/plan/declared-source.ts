import type { FactTable } from '../../../shared/catalog/tables.ts';
import { type FactHead, type PartitionRef, PLATFORM_ID, type RunEntry } from '../../../shared/layout/partitions.ts';
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

/**
 * @param runsOf returns the runs of each partition, more than could be stored
 * @param tables those of an advertiser; the platform has market
 * @returns a source without data: reading facts throws
 */
export function declaredSource(
  runsOf: (ref: PartitionRef) => readonly RunEntry[],
  { tables = ['delivery'], months = ['2025-03'] }: { tables?: readonly FactTable[]; months?: readonly string[] } = {},
): SegmentSource {
  const headOf = (advertiserId: number): FactHead => {
    const own = advertiserId === PLATFORM_ID ? (['market'] as const) : tables;
    const ofTables = new Map(own.map((table) => [table, months]));
    const versions = new Map([['pla', 1]] as const);
    return { advertiserId, months: new Map([['pla', ofTables]]), latestDelivery: new Map(), versions };
  };
  return {
    factHeads: async (ids) => new Map(ids.map((id) => [id, headOf(id)])),
    advertiserShards: async () => [],
    manifests: async (refs) => refs.map((ref) => ({ ref, runs: runsOf(ref) })),
    runs: () => {
      throw new Error('the facts were read');
    },
    rollups: () => {
      throw new Error('rollups were read');
    },
    dimensionTables: async () => new Map(),
  };
}

/** @returns a run for each day of March, with the given number of rows, and columns with as many bytes and so many distinct values */
export function daysOf(rows: number, names: readonly string[], distinct: number, chunks = 1): RunEntry[] {
  const columns = new Map(names.map((name) => [name, { chunks, bytes: rows, distinct }]));
  return Array.from({ length: 31 }, (_, i) => dayRun(i + 1, rows, columns));
}

/** @returns a source that declares the given number of rows per day, and of distinct keywords */
export const sourceOf = (rowsPerDay: number, distinct = 10): SegmentSource =>
  declaredSource(() => daysOf(rowsPerDay, ['keyword', 'impressions'], distinct, 3));

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
