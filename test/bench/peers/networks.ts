import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { ACCOUNTS, ADVERTISERS } from '../../../infra/local/demo/data/network.ts';
import { generateDemo } from '../../../infra/local/demo/generate-demo.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { writeLoadFile } from '../../real/write-folder.ts';
import { typicalConversions } from '../report/typical-report.ts';
import { ADVERTISER_ID, dateOf, daysFrom, makeBenchFolder, writeFactsCsv } from '../tools/bench-folder.ts';
import { generateDelivery } from '../tools/generate-facts.ts';
import { TABLES } from './reports.ts';

export const USER = 'bench';
const ROWS_PER_DAY = 33_000;
const AUDIENCE = 400_000;

/** Load files of a network, the same rows as Parquet and CSV for the peers, and the periods of its reports. */
export interface PeerNetwork extends Disposable {
  readonly name: string;
  readonly folder: string;
  readonly tables: string;
  readonly advertiserIds: readonly number[];
  readonly periods: readonly { readonly startDate: string; readonly endDate: string }[];
}

export async function makeDemo(): Promise<PeerNetwork> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  const endDate = '2026-11-20';
  await generateDemo(folder, endDate);
  writeUser(
    folder,
    'users.ndjson',
    ACCOUNTS.map(({ id }) => id),
  );
  const periods = ['2026-10-22', '2026-08-23'].map((startDate) => ({ startDate, endDate }));
  const advertiserIds = ADVERTISERS.map(({ id }) => id);
  return { name: 'demo network', folder, advertiserIds, periods, ...(await writeTables(folder, 'ndjson')) };
}

/** @param rows of delivery; 8 % as many conversions come with them */
export async function makeGenerated(rows: number): Promise<PeerNetwork> {
  const folder = makeBenchFolder().path;
  const days = daysFrom(0, Math.max(1, Math.round(rows / ROWS_PER_DAY)));
  const usersOf = (n: number, row: number) => {
    const random = randomFrom(n * 1_000_003 + row);
    return random.int(4) === 0 ? [`user-${random.int(AUDIENCE)}`] : [];
  };
  const file = { path: folder, [Symbol.dispose]: () => {} };
  writeFactsCsv(file, 'delivery', days, (n) => generateDelivery(n, ROWS_PER_DAY), usersOf);
  writeFactsCsv(file, 'conversions', days, (n) => typicalConversions(n, ROWS_PER_DAY));
  writeUser(folder, 'users.ndjson', [1]);
  const periods = [{ startDate: dateOf(0), endDate: dateOf(days.length - 1) }];
  return {
    name: `${(rows / 1e6).toLocaleString('en-US')} M rows`,
    ...{ folder, advertiserIds: [ADVERTISER_ID], periods },
    ...(await writeTables(folder, 'csv')),
  };
}

function writeUser(folder: string, file: string, accountIds: readonly number[]): void {
  writeLoadFile(folder, file, [{ userId: USER, name: USER, userType: 'AGENCY', accountIds }]);
}

type Format = 'ndjson' | 'csv';

/** Writes the peers' tables: as Parquet for DuckDB, as CSV for PostgreSQL. */
async function writeTables(
  folder: string,
  format: Format,
): Promise<Pick<PeerNetwork, 'tables' | typeof Symbol.dispose>> {
  const tables = mkdtempSync(join(tmpdir(), 'endcap-bench-'));
  chmodSync(tables, 0o755); // PostgreSQL's user reads it
  const duckdb = await (await DuckDBInstance.create()).connect();
  try {
    for (const name of Object.keys(TABLES)) await writeTable(duckdb, name, folder, tables, format);
  } finally {
    duckdb.closeSync();
  }
  return {
    tables,
    [Symbol.dispose]: () => {
      for (const path of [folder, tables]) rmSync(path, { recursive: true });
    },
  };
}

const KEYS = `daily_date: 'DATE', hour: 'INTEGER', ad_group_id: 'BIGINT', placement_id: 'BIGINT', division_banner: 'VARCHAR', keyword: 'VARCHAR', entity_id: 'VARCHAR'`;

/** For each table: the columns to read and those to write. */
const COLUMNS: Readonly<Record<string, readonly [read: string, write: string]>> = {
  campaigns: [`id: 'BIGINT', advertiserId: 'BIGINT', name: 'VARCHAR'`, 'id, advertiserId, name'],
  ad_groups: [`id: 'BIGINT', campaignId: 'BIGINT'`, 'id, campaignId'],
  placements: [`id: 'BIGINT', name: 'VARCHAR'`, 'id, name'],
  delivery: [
    `${KEYS}, impressions: 'BIGINT', clicks: 'BIGINT', cost: 'DECIMAL(18, 6)', users: 'VARCHAR[]'`,
    'coalesce(impressions, 0), coalesce(clicks, 0), CAST(coalesce(cost, 0) * 1000000 AS BIGINT), users',
  ],
  conversions: [
    `${KEYS}, purchased_entity_id: 'VARCHAR', halo_transactions: 'BIGINT', halo_revenue: 'DECIMAL(18, 6)'`,
    'purchased_entity_id, coalesce(halo_transactions, 0), CAST(coalesce(halo_revenue, 0) * 1000000 AS BIGINT)',
  ],
};

async function writeTable(duckdb: DuckDBConnection, name: string, folder: string, tables: string, format: Format) {
  const [read, write] = COLUMNS[name] as readonly [string, string]; // COLUMNS has all TABLES
  const isFacts = name === 'delivery' || name === 'conversions';
  const path = join(folder, isFacts ? `facts/pla/${name}.${format}` : `${name}.ndjson`);
  const source =
    isFacts && format === 'csv'
      ? `(SELECT * ${name === 'delivery' ? "REPLACE (string_split(users, '|') AS users)" : ''} FROM read_csv('${path}', types = {${read.replace('[]', '')}}))`
      : `read_json('${path}', columns = {${read}})`;
  const keys = isFacts ? 'daily_date, hour, ad_group_id, placement_id, division_banner, keyword, entity_id, ' : '';
  const file = join(tables, name);
  await duckdb.run(
    `COPY (SELECT ${keys}${write} FROM ${source}) TO '${file}.parquet' (FORMAT parquet, COMPRESSION zstd)`,
  );
  const users = name === 'delivery' ? "REPLACE ('{' || array_to_string(users, ',') || '}' AS users)" : '';
  await duckdb.run(`COPY (SELECT * ${users} FROM '${file}.parquet') TO '${file}.csv' (HEADER)`);
}
