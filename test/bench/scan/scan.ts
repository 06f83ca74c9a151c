import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { FactTable } from '../../../shared/catalog/tables.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import type { ReportQuery, ReportResult } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { formatMillions } from '../tools/format.ts';
import { CONVERSION_MEASURES, generateConversions, generateDelivery } from '../tools/generate-facts.ts';
import { compareRuns, RUNS } from '../tools/runs.ts';
import { type Cost, measure } from '../tools/timing.ts';
import { checkSameRows } from './check-same-rows.ts';
import { type BenchDay, daySource, EXPERIENCE } from './day-source.ts';
import { dateOfDay, encodeInBothFormats } from './parquet-days.ts';

const ROWS_PER_DAY = 33_333;
const SUMS = ['impressions', 'clicks', 'cost', 'opportunities', 'video_starts', 'video_completes'] as const;
const SQL_SUMS = `${SUMS.map((name) => `sum(${name})`).join(', ')}, sum(clicks) / sum(impressions), sum(cost) / nullif(sum(clicks), 0)`;
const METRICS: ReportQuery['metrics'] = [...SUMS, 'click_through_rate', 'cost_per_click'];

interface Scan {
  readonly what: string;
  /** For the ratio of the medians. */
  readonly target: number;
  readonly table: FactTable;
  readonly query: Pick<ReportQuery, 'metrics' | 'dimensions' | 'filters' | 'sort'>;
  readonly sql: (files: string) => string;
}

const SCANS: readonly Scan[] = [
  {
    what: 'by day',
    target: 0.1,
    table: 'delivery',
    query: { metrics: METRICS, dimensions: ['daily_date'], filters: [], sort: [] },
    sql: (files) => `SELECT date, ${SQL_SUMS} FROM ${files} GROUP BY date ORDER BY date LIMIT 100`,
  },
  {
    what: 'by hour (not the order in which the rows are stored)',
    target: 0.25,
    table: 'delivery',
    query: { metrics: METRICS, dimensions: ['hour'], filters: [], sort: [] },
    sql: (files) => `SELECT hour, ${SQL_SUMS} FROM ${files} GROUP BY hour ORDER BY hour LIMIT 100`,
  },
  {
    what: 'by ad group and keyword, one filter, 8 metrics, top 100',
    target: 0.33,
    table: 'delivery',
    query: {
      metrics: METRICS,
      dimensions: ['ad_group_id', 'keyword'],
      filters: [{ field: 'hour', operator: 'GREATER_THAN', values: ['11'] }],
      sort: [{ field: 'cost', order: 'DESC' }],
    },
    sql: (files) =>
      `SELECT ad_group_id, keyword, ${SQL_SUMS} FROM ${files} WHERE hour > 11 GROUP BY ad_group_id, keyword ORDER BY sum(cost) DESC, ad_group_id, keyword LIMIT 100`,
  },
  {
    what: 'by entity and purchased entity',
    target: 0.5,
    table: 'conversions',
    query: {
      metrics: [...CONVERSION_MEASURES, 'clicked_order_value_avg', 'viewed_order_value_avg'],
      dimensions: ['entity_id', 'purchased_entity_id'],
      filters: [],
      sort: [{ field: 'halo_revenue', order: 'DESC' }],
    },
    sql: (files) =>
      `SELECT entity_id, purchased_entity_id, sum(halo_transactions), sum(halo_units), sum(halo_revenue), sum(halo_exposed_transactions), sum(halo_exposed_units), sum(halo_exposed_revenue), sum(halo_revenue) / nullif(sum(halo_transactions), 0), sum(halo_exposed_revenue) / nullif(sum(halo_exposed_transactions), 0) FROM ${files} GROUP BY entity_id, purchased_entity_id ORDER BY sum(halo_revenue) DESC, entity_id, purchased_entity_id LIMIT 100`,
  },
];

/**
 * Scanning, grouping and sorting one table with its segments in memory, against DuckDB with one thread on one zstd Parquet file of the same rows. Both
 * return the same page; Endcap also computes the totals and the number of all rows.
 * @param rows the number of rows of each table, rounded to whole days
 */
export async function benchScan(rows: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  const duckdb = await (await DuckDBInstance.create()).connect();
  await duckdb.run('SET threads = 1');
  try {
    const dayCount = Math.max(1, Math.round(rows / ROWS_PER_DAY));
    const results: BenchRow[] = [];
    for (const table of ['delivery', 'conversions'] as const) {
      const days: BenchDay[] = [];
      const generate = table === 'delivery' ? generateDelivery : generateConversions;
      for (let day = 0; day < dayCount; day++) {
        const encoded = await encodeInBothFormats(duckdb, folder, table, day, generate(day, ROWS_PER_DAY));
        days.push({ date: dateOfDay(day), rows: encoded.rows, readColumns: () => encoded.columns });
      }
      const file = join(folder, `${table}.parquet`);
      await duckdb.run(
        `COPY (SELECT * FROM read_parquet('${folder}/${table}-*.parquet')) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      const source = daySource(table, days);
      const size = `${formatMillions(dayCount * ROWS_PER_DAY)} rows`;
      for (const scan of SCANS.filter((candidate) => candidate.table === table)) {
        const endcap = () => runReport(reportOf(scan, dayCount, source));
        const peer = async () => (await duckdb.runAndReadAll(scan.sql(`read_parquet('${file}')`))).getRows();
        results.push(await compare({ ...scan, what: `${size} ${scan.what}` }, endcap, peer));
      }
    }
    return results;
  } finally {
    duckdb.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(
  { what, target, query }: Scan,
  endcap: () => Promise<ReportResult>,
  peer: () => Promise<readonly (readonly unknown[])[]>,
): Promise<BenchRow> {
  const [costs, peerCosts]: [Cost[], Cost[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    costs.push(await measure(endcap));
    peerCosts.push(await measure(peer));
  }
  checkSameRows(query, (await endcap()).data, await peer()); // after the measurement, so that the first runs are cold
  const { peer: duckdb, note, ...figures } = compareRuns(costs, peerCosts);
  return {
    what,
    ...figures,
    peer: `DuckDB: ${duckdb}`,
    target: `≤ ${target}`,
    note: `${note}; target of the first ≤ 0.6 (all scans run in one process, so only the first run of the first scan is cold)`,
  };
}

function reportOf({ query }: Scan, dayCount: number, source: SegmentSource): Parameters<typeof runReport>[0] {
  return {
    query: {
      ...query,
      experience: EXPERIENCE,
      startDate: dateOfDay(0),
      endDate: dateOfDay(dayCount - 1),
      pagination: { offset: 0, size: 100 },
    },
    scope: { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] },
    settings: SETTINGS,
    source,
  };
}
