import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { DayEntry, EncodedDay, PartitionRef } from '../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../shared/catalog/segment-source.ts';
import type { FactTable } from '../../shared/catalog/tables.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { type BenchRow, median, timed } from './bench-row.ts';
import { CONVERSION_MEASURES, generateConversions, generateDelivery } from './generate-facts.ts';
import { dateOfDay, encodeBothWays } from './parquet-days.ts';

const ROWS_A_DAY = 33_333;
const RUNS = 9;
const SUMS = ['impressions', 'clicks', 'cost', 'opportunities', 'video_starts', 'video_completes'];
const SQL_SUMS = `${SUMS.map((it) => `sum(${it})`).join(', ')}, sum(clicks) / sum(impressions), sum(cost) / nullif(sum(clicks), 0)`;

interface Shape {
  readonly what: string;
  readonly table: FactTable;
  readonly query: Pick<ReportQuery, 'metrics' | 'dimensions' | 'filters' | 'sort'>;
  readonly sql: (files: string) => string;
}

const SHAPES: readonly Shape[] = [
  {
    what: 'by day',
    table: 'delivery',
    query: { metrics: deliveryMetrics(), dimensions: ['daily_date'], filters: [], sort: [] },
    sql: (files) => `SELECT date, ${SQL_SUMS} FROM ${files} GROUP BY date ORDER BY date LIMIT 100`,
  },
  {
    what: 'by hour (not in the sort order)',
    table: 'delivery',
    query: { metrics: deliveryMetrics(), dimensions: ['hour'], filters: [], sort: [] },
    sql: (files) => `SELECT hour, ${SQL_SUMS} FROM ${files} GROUP BY hour ORDER BY hour LIMIT 100`,
  },
  {
    what: 'by (ad_group, keyword), a filter, 8 metrics, top 100',
    table: 'delivery',
    query: {
      metrics: deliveryMetrics(),
      dimensions: ['ad_group_id', 'keyword'],
      filters: [{ field: 'hour', operator: 'GREATER_THAN', values: ['11'] }],
      sort: [{ field: 'cost', order: 'DESC' }],
    },
    sql: (files) =>
      `SELECT ad_group_id, keyword, ${SQL_SUMS} FROM ${files} WHERE hour > 11 GROUP BY ad_group_id, keyword ORDER BY sum(cost) DESC, ad_group_id, keyword LIMIT 100`,
  },
  {
    what: 'by (entity, purchased entity)',
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
 * Scan, group and sort of one table, segments in memory, against DuckDB with one thread on zstd Parquet of the same rows, one file.
 * First runs are each side's first of that shape in the process.
 */
export async function benchScan(rows: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  const duck = await (await DuckDBInstance.create()).connect();
  await duck.run('SET threads = 1');
  try {
    const days = Math.max(1, Math.round(rows / ROWS_A_DAY));
    const results: BenchRow[] = [];
    for (const table of ['delivery', 'conversions'] as const) {
      const encoded: EncodedDay[] = [];
      const generate = table === 'delivery' ? generateDelivery : generateConversions;
      for (let day = 0; day < days; day++) {
        const both = await encodeBothWays(duck, folder, table, day, generate(day, ROWS_A_DAY));
        encoded.push({ entry: entryOf(day, both.rows), columns: both.columns });
      }
      const file = join(folder, `${table}.parquet`);
      await duck.run(
        `COPY (SELECT * FROM read_parquet('${folder}/${table}-*.parquet')) TO '${file}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      const source = sourceOf(table, encoded);
      for (const shape of SHAPES.filter((it) => it.table === table)) {
        const ours = () => runReport(inputOf(shape, days, source));
        const theirs = async () => (await duck.runAndReadAll(shape.sql(`read_parquet('${file}')`))).getRows();
        results.push(await compare(`scan ${shape.what}`, ours, theirs));
      }
    }
    return results;
  } finally {
    duck.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare(what: string, ours: () => Promise<unknown>, theirs: () => Promise<unknown>): Promise<BenchRow> {
  const [mine, peer]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    mine.push(await timed(ours));
    peer.push(await timed(theirs));
  }
  const show = (times: readonly number[]) => `${median(times).toFixed(1)} ms (first ${(times[0] ?? 0).toFixed(1)})`;
  const first = (mine[0] ?? 0) / (peer[0] ?? 1);
  return {
    what,
    ours: show(mine),
    peer: show(peer),
    ratio: median(mine) / median(peer),
    reach: '≤ 0.5',
    note: `first run ${first.toFixed(2)}`,
  };
}

function deliveryMetrics(): ReportQuery['metrics'] {
  return [
    'impressions',
    'clicks',
    'cost',
    'opportunities',
    'video_starts',
    'video_completes',
    'click_through_rate',
    'cost_per_click',
  ];
}

function entryOf(day: number, rows: number): DayEntry {
  return { day: Number(dateOfDay(day).slice(8)), version: 1, rows, packed: false, columns: new Map() };
}

function inputOf({ query }: Shape, days: number, source: SegmentSource): Parameters<typeof runReport>[0] {
  return {
    query: {
      ...query,
      experience: 'pla',
      startDate: dateOfDay(0),
      endDate: dateOfDay(days - 1),
      pagination: { offset: 0, size: 100 },
    },
    scope: { accountIds: new Set([1]), advertiserIds: [1] },
    settings: { timezone: 'UTC', currency: 'USD', attribution: { windowDays: 14, basis: 'conversion day' } },
    source,
  };
}

/** A source that holds one advertiser's days in memory, month by month. */
function sourceOf(table: FactTable, days: readonly EncodedDay[]): SegmentSource {
  const months = Map.groupBy(days.keys(), (day) => dateOfDay(day).slice(0, 7));
  const ofMonth = (ref: PartitionRef) => (months.get(ref.month) ?? []).flatMap((day) => days[day] ?? []);
  const head = {
    advertiserId: 1,
    months: new Map([['pla' as const, new Map([[table, [...months.keys()]]])]]),
    latestDelivery: new Map(),
  };
  return {
    factHeads: async () => new Map([[1, head]]),
    manifests: async (refs) => refs.map((ref) => ({ ref, days: ofMonth(ref).map((it) => it.entry) })),
    async *days(ref, entries) {
      for (const day of ofMonth(ref)) if (entries.includes(day.entry)) yield day;
    },
    async *rollups() {},
    dimensionTables: async () => new Map(),
  };
}
