/**
 * Runs the typical report with DuckDB and one thread, up to the JSON body of a response. The first message is a folder of `makeTypicalFolder`, whose fact files
 * are converted to zstd Parquet; for each further message `{ index }` the report runs with the dimensions at `index`, and its cost and body are sent.
 */
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { measure } from '../tools/timing.ts';
import { TYPICAL_DIMENSIONS } from './typical-report.ts';

/** For each report of TYPICAL_DIMENSIONS: the columns that determine a group, and the join for the name. */
const GROUPINGS = [
  {
    columns: 'daily_date, ad_group_id',
    names: `JOIN ad_groups ON ad_groups.id = ad_group_id JOIN (SELECT id, name AS campaign_name FROM campaigns) c ON c.id = campaignId`,
  },
  {
    columns: 'daily_date, placement_id, division_banner',
    names: `JOIN (SELECT id, name AS placement FROM placements) p ON p.id = placement_id`,
  },
  {
    columns: 'daily_date, placement_id, keyword',
    names: `JOIN (SELECT id, name AS placement FROM placements) p ON p.id = placement_id`,
  },
] as const;

/** Each table is grouped before both are combined, because a join or union of their rows takes longer. Money is in micros, so that sums are exact. */
function sqlOf(index: number, folder: string): string {
  const { columns, names } = GROUPINGS[index] ?? GROUPINGS[0];
  const { dimensions } = TYPICAL_DIMENSIONS[index] ?? TYPICAL_DIMENSIONS[0];
  const source = (table: string) => `read_parquet('${join(folder, `${table}.parquet`)}')`;
  const sum = (name: string) => `sum(${name})::BIGINT AS ${name}`;
  const sums = ['impressions', 'clicks', 'cost', 'halo_transactions', 'halo_revenue'].map(sum).join(', ');
  const metrics = `impressions, clicks, cost / 1e6 AS cost, halo_transactions, halo_revenue / 1e6 AS halo_revenue,
    CASE WHEN cost > 0 THEN halo_revenue / cost END AS halo_roas`;
  return `
    WITH parts AS (
      SELECT ${columns}, ${['impressions', 'clicks', 'cost'].map(sum).join(', ')}, 0 AS halo_transactions, 0 AS halo_revenue
      FROM ${source('delivery')} GROUP BY ${columns}
      UNION ALL
      SELECT ${columns}, 0, 0, 0, ${['halo_transactions', 'halo_revenue'].map(sum).join(', ')}
      FROM ${source('conversions')} GROUP BY ${columns}
    ), grouped AS MATERIALIZED (
      SELECT ${columns}, ${sums} FROM parts GROUP BY ${columns}
    ), page AS (
      SELECT ${dimensions.join(', ')}, ${metrics} FROM grouped ${names}
      ORDER BY grouped.cost DESC, ${dimensions.join(', ')} LIMIT 100
    )
    SELECT json_object(
      'data', (SELECT json_group_array(to_json(page)) FROM page),
      'totalCount', (SELECT count(*) FROM grouped),
      'totals', (SELECT to_json(t) FROM (SELECT ${metrics} FROM (SELECT ${sums} FROM grouped)) t)
    )::VARCHAR`;
}

async function convert(duckdb: DuckDBConnection, folder: string): Promise<void> {
  const facts = {
    delivery: '* REPLACE (round(cost * 1e6)::BIGINT AS cost)',
    conversions: '* REPLACE (round(halo_revenue * 1e6)::BIGINT AS halo_revenue)',
  };
  for (const [table, columns] of Object.entries(facts)) {
    const [csv, parquet] = [join(folder, `facts/pla/${table}.csv`), join(folder, `${table}.parquet`)];
    await duckdb.run(`COPY (SELECT ${columns} FROM '${csv}') TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`);
  }
  for (const listing of ['ad_groups', 'campaigns', 'placements']) {
    await duckdb.run(`CREATE TABLE ${listing} AS SELECT * FROM '${join(folder, `${listing}.ndjson`)}'`);
  }
  await duckdb.run('SET threads = 1');
}

const duckdb = await (await DuckDBInstance.create()).connect();

process.once('message', async (folder) => {
  await convert(duckdb, String(folder));
  process.on('message', async (message) => {
    const { index }: { index: number } = Object(message);
    let body = '';
    const cost = await measure(async () => {
      const reader = await duckdb.runAndReadAll(sqlOf(index, String(folder)));
      body = String(reader.getRows()[0]?.[0]);
    });
    process.send?.({ ...cost, body });
  });
  process.send?.('ready');
});
process.on('disconnect', () => process.exit());
