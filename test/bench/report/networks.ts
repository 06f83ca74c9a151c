import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { ADVERTISERS } from '../../../infra/local/demo/data/network.ts';
import { generateDemo } from '../../../infra/local/demo/generate-demo.ts';
import { type MetricName, metricOf } from '../../../shared/catalog/metrics.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource, SourceCaches } from '../../../shared/store/segment-source.ts';
import { COMPLETE_JOURNEY_IDS, writeCompleteJourney } from '../../real/complete-journey-folder.ts';
import { OPEN_BANDIT_IDS, writeOpenBandit } from '../../real/open-bandit-folder.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { type BenchEngine, startBenchEngine } from '../tools/engine.ts';
import { compareRuns, RUNS } from '../tools/runs.ts';
import { type Cost, measure } from '../tools/timing.ts';
import { loadBenchFolder } from './typical-report.ts';

const DELIVERY = ['impressions', 'clicks'] as const satisfies readonly MetricName[];
const CONVERSIONS = ['halo_transactions', 'halo_revenue'] as const satisfies readonly MetricName[];

/** A data set, and reports over it whose dimensions are columns of all its fact files. */
interface Network {
  readonly name: string;
  readonly write: (folder: string) => unknown;
  readonly period: Pick<ReportQuery, 'experience' | 'startDate' | 'endDate'>;
  readonly advertiserIds: readonly number[];
  /** The files of facts, with the metrics of each. */
  readonly facts: Readonly<Record<string, readonly MetricName[]>>;
  readonly reports: readonly ReportQuery['dimensions'][];
}

const NETWORKS: readonly Network[] = [
  {
    name: 'demo network',
    write: (folder) => generateDemo(folder, '2026-11-20'),
    period: { experience: 'pla', startDate: '2026-10-22', endDate: '2026-11-20' },
    advertiserIds: ADVERTISERS.map(({ id }) => id),
    facts: { 'delivery.ndjson': DELIVERY, 'conversions.ndjson': CONVERSIONS },
    reports: [['daily_date', 'ad_group_id'], ['hour'], ['daily_date', 'division_banner'], ['daily_date', 'keyword']],
  },
  {
    name: 'grocer',
    write: writeCompleteJourney,
    period: { experience: 'pla', startDate: '2017-01-01', endDate: '2017-12-31' },
    advertiserIds: [COMPLETE_JOURNEY_IDS.advertiserId],
    facts: { 'conversions.ndjson.gz': CONVERSIONS },
    reports: [['daily_date'], ['hour'], ['daily_date', 'entity_id']],
  },
  {
    name: 'fashion shop',
    write: writeOpenBandit,
    period: { experience: 'carousel', startDate: '2019-11-23', endDate: '2019-11-30' },
    advertiserIds: [OPEN_BANDIT_IDS.advertiserId],
    facts: { 'delivery.csv.gz': DELIVERY },
    reports: [['daily_date', 'ad_group_id'], ['hour'], ['daily_date', 'entity_id']],
  },
];

/**
 * Reports of the demo network and of real data, from the table to the JSON body, against DuckDB with one thread from local zstd Parquet files of the same
 * rows to the same JSON, in one process and in turn. The embedded table has its own process, and its time counts as Endcap's elapsed time.
 */
export async function benchNetworks(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  const duckdb = await (await DuckDBInstance.create()).connect();
  try {
    await duckdb.run('SET threads = 1');
    const rows: BenchRow[] = [];
    for (const network of NETWORKS) rows.push(...(await benchNetwork(engine, duckdb, network)));
    return rows;
  } finally {
    duckdb.closeSync();
  }
}

async function benchNetwork(engine: BenchEngine, duckdb: DuckDBConnection, network: Network): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  try {
    await network.write(folder);
    const { table } = await loadBenchFolder(engine, { path: folder, [Symbol.dispose]: () => {} });
    await convert(duckdb, folder, network);
    const metrics = Object.values(network.facts).flat();
    const scope = {
      accountIds: new Set([1]),
      advertiserIds: network.advertiserIds,
      ownAdvertiserIds: network.advertiserIds,
    };
    const results: BenchRow[] = [];
    for (const dimensions of network.reports) {
      const sort = [{ field: metrics[0] as MetricName, order: 'DESC' }] as const; // each network has metrics
      const query = {
        ...network.period,
        ...{ filters: [], sort, pagination: { offset: 0, size: 100 }, metrics, dimensions },
      };
      let [body, peerBody] = ['', ''];
      const report = async () => {
        const source = openSegmentSource(table, await readCommit(table), new SourceCaches());
        body = JSON.stringify(await runReport({ query, scope, settings: SETTINGS, source }));
      };
      const sql = sqlOf(folder, network, dimensions);
      const peer = async () => {
        peerBody = String((await duckdb.runAndReadAll(sql)).getRows()[0]?.[0]);
      };
      const [costs, peerCosts]: [Cost[], Cost[]] = [[], []];
      for (let run = 0; run < RUNS; run++) {
        costs.push(await measure(report));
        peerCosts.push(await measure(peer));
      }
      checkSameTotals(metrics, JSON.parse(body), JSON.parse(peerBody));
      const { peer: figure, ...figures } = compareRuns(costs, peerCosts);
      const what = `${network.name}: by ${dimensions.join(', ')}, ${JSON.parse(body).totalCount} rows`;
      results.push({ what, ...figures, peer: `DuckDB: ${figure}`, target: '≤ 2' });
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const isMoney = (name: MetricName) => metricOf(name).unit === 'currency';

/** Writes the network's facts as Parquet, money in micros. */
async function convert(duckdb: DuckDBConnection, folder: string, { facts, period }: Network): Promise<void> {
  for (const [file, metrics] of Object.entries(facts)) {
    const path = join(folder, 'facts', period.experience, file);
    const columns = metrics.map((name) =>
      isMoney(name) ? `round(${name}::DOUBLE * 1e6)::BIGINT AS ${name}` : `${name}::BIGINT AS ${name}`,
    );
    await duckdb.run(
      `COPY (SELECT * REPLACE (${columns.join(', ')}, daily_date::VARCHAR AS daily_date) FROM '${path}') TO '${path}.parquet' (FORMAT parquet, COMPRESSION zstd)`,
    );
  }
}

/** Each table is grouped before both are combined, because a union of their rows takes longer. */
function sqlOf(folder: string, { facts, period }: Network, dimensions: readonly string[]): string {
  const columns = dimensions.join(', ');
  const metrics = Object.values(facts).flat();
  const sums = metrics.map((name) => `sum(${name})::BIGINT AS ${name}`).join(', ');
  const parts = Object.entries(facts).map(([file, own]) => {
    const values = metrics.map((name) => (own.includes(name) ? `sum(${name})::BIGINT AS ${name}` : `0 AS ${name}`));
    return `SELECT ${columns}, ${values.join(', ')} FROM read_parquet('${join(folder, 'facts', period.experience, file)}.parquet')
      WHERE daily_date BETWEEN '${period.startDate}' AND '${period.endDate}' GROUP BY ${columns}`;
  });
  return `
    WITH parts AS (${parts.join(' UNION ALL ')}),
    grouped AS MATERIALIZED (SELECT ${columns}, ${sums} FROM parts GROUP BY ${columns}),
    page AS (SELECT * FROM grouped ORDER BY ${metrics[0]} DESC, ${columns} LIMIT 100)
    SELECT json_object(
      'data', (SELECT json_group_array(to_json(page)) FROM page),
      'totalCount', (SELECT count(*) FROM grouped),
      'totals', (SELECT to_json(t) FROM (SELECT ${sums} FROM grouped) t)
    )::VARCHAR`;
}

interface Body {
  readonly totalCount: number;
  readonly totals: Readonly<Record<string, number>>;
}

function checkSameTotals(metrics: readonly MetricName[], own: Body, peer: Body): void {
  if (own.totalCount !== peer.totalCount)
    throw new Error(`Endcap has ${own.totalCount} groups, and DuckDB ${peer.totalCount}`);
  for (const name of metrics) {
    const expected = (peer.totals[name] ?? 0) / (isMoney(name) ? 1e6 : 1);
    if (own.totals[name] !== expected)
      throw new Error(`Endcap has ${own.totals[name]} ${name}, and DuckDB ${expected}`);
  }
}
