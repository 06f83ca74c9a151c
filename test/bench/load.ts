import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import type { ValueType } from '../../shared/load/schema/value-types.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { type BenchFolder, makeBenchFolder, writeFactsCsv } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type ApartEngine, startEngineApart } from './engine-apart.ts';
import { generateDelivery, seededRandom } from './generate-facts.ts';
import { type HotSpot, profileWork } from './profile-work.ts';
import { type Spent, spendInTurn } from './timing.ts';

const ROWS_A_DAY = 33_000;
/** The first one is profiled and finds nothing warm; the median passes over it. */
const ROUNDS = 3;
/** Users are most of what is written then, so fewer rows are as telling. */
const ROWS_PER_ROW_WITH_USERS = 4;
const AUDIENCE = 400_000;
const MAX_USERS = 4;

/** How the same rows lie in a file, and how DuckDB reads it. */
const FORMATS = {
  'ndjson.gz': { name: 'NDJSON.gz', source: (path: string) => `read_json('${path}', columns = {${typesOf(false)}})` },
  csv: { name: 'CSV', source: (path: string) => `read_csv('${path}', columns = {${typesOf(false)}})` },
  parquet: { name: 'Parquet', source: (path: string) => `read_parquet('${path}')` },
} as const;
type Format = keyof typeof FORMATS;

/**
 * Loads delivery rows, all 19 columns of them, into the embedded table, against DuckDB's COPY of the same file to zstd Parquet. The engine runs in a process
 * of its own: what it takes is on our clock, but not in our processor time.
 */
export async function benchLoad(rows: number): Promise<BenchRow[]> {
  using engine = startEngineApart();
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    const days = Math.max(1, Math.round(rows / ROWS_A_DAY));
    const results: BenchRow[] = [];
    for (const format of Object.keys(FORMATS) as Format[]) {
      // keys of the literal
      results.push(...(await compareLoads(engine, duckdb, format, days, 'without users')));
    }
    const fewer = Math.max(1, Math.round(days / ROWS_PER_ROW_WITH_USERS));
    return [...results, ...(await compareLoads(engine, duckdb, 'parquet', fewer, 'with users'))];
  } finally {
    duckdb.closeSync();
  }
}

async function compareLoads(
  engine: ApartEngine,
  duckdb: DuckDBConnection,
  format: Format,
  days: number,
  users: 'with users' | 'without users',
): Promise<BenchRow[]> {
  using folder = makeBenchFolder();
  using peerFolder = makeBenchFolder(); // what lies in the other would be loaded
  const path = await writeDelivery(folder, duckdb, format, days, users === 'with users');
  const copy = async (threads: number | undefined) => {
    await duckdb.run(threads === undefined ? 'RESET threads' : `SET threads = ${threads}`);
    const target = join(peerFolder.path, 'copy.parquet');
    await duckdb.run(
      `COPY (SELECT * FROM ${FORMATS[format].source(path)}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
    );
  };
  const load = async () => {
    const { table } = await engine.createTable(); // a second load of the same rows would have nothing to write
    const report = await loadFolder({ folder: folder.path, table, timeZone: SETTINGS.timezone });
    if (report.outcome !== 'loaded') throw new Error(`the rows were not loaded: ${JSON.stringify(report.problems)}`);
  };
  let hot: readonly HotSpot[] | undefined;
  const ours = async () => {
    if (hot === undefined) hot = await profileWork(load);
    else await load();
  };
  const spent = await spendInTurn(ROUNDS, { ours, all: () => copy(undefined), one: () => copy(1) });
  const millions = ((days * ROWS_A_DAY) / 1e6).toFixed(2);
  const what = `load ${millions} M rows, ${FORMATS[format].name}, ${users}`;
  const row = (peer: string, theirs: Spent): BenchRow => ({
    what,
    ours: seconds(spent.ours.wallMs),
    peer: `DuckDB COPY, ${peer}: ${seconds(theirs.wallMs)}`,
    ratio: spent.ours.wallMs / theirs.wallMs,
    reach: '≤ 4',
  });
  const cpu = `processor time: ours ${seconds(spent.ours.cpuMs)}, DuckDB ${seconds(spent.all.cpuMs)} (${(spent.ours.cpuMs / spent.all.cpuMs).toFixed(1)} ×)`;
  return [
    { ...row('its threads', spent.all), note: `${cpu}; main thread: ${describe(hot ?? [])}` },
    row('1 thread', spent.one),
  ];
}

/** @returns the path of the one fact file that the folder then has */
async function writeDelivery(
  folder: BenchFolder,
  duckdb: DuckDBConnection,
  format: Format,
  days: number,
  withUsers: boolean,
): Promise<string> {
  const usersOf = withUsers ? usersOfRow : undefined;
  const csv = writeFactsCsv(folder, 'delivery', days, (n) => generateDelivery(n, ROWS_A_DAY), usersOf);
  if (format === 'csv') return csv;
  const path = csv.replace(/csv$/, format);
  const columns = withUsers ? "* REPLACE (string_split(users, '|') AS users)" : '*';
  const how = format === 'parquet' ? 'FORMAT parquet, COMPRESSION zstd' : 'FORMAT json, COMPRESSION gzip';
  await duckdb.run(
    `COPY (SELECT ${columns} FROM read_csv('${csv}', columns = {${typesOf(withUsers)}})) TO '${path}' (${how})`,
  );
  await rm(csv);
  return path;
}

/** One to four of the audience, seeded by the row. */
function usersOfRow(n: number, row: number): string[] {
  const random = seededRandom(n * 1_000_003 + row);
  const count = 1 + Math.floor(random() * MAX_USERS);
  return Array.from({ length: count }, () => `user-${Math.floor(random() * AUDIENCE)}`);
}

/** @returns the columns of the CSV file with DuckDB's types, those that suit the loader's */
function typesOf(withUsers: boolean): string {
  const columns = factColumns('delivery').filter((it) => withUsers || it.role !== 'users');
  return columns.map((it) => `${it.name}: '${typeOf(it.type)}'`).join(', ');
}

function typeOf(type: ValueType): string {
  switch (type.kind) {
    case 'integer':
      return 'INTEGER';
    case 'decimal':
      return `DECIMAL(18, ${type.places})`;
    case 'date':
      return 'DATE';
    default:
      return 'VARCHAR';
  }
}

function describe(hot: readonly HotSpot[]): string {
  return hot
    .slice(0, 3)
    .map(({ where, share }) => `${(share * 100).toFixed(0)} % ${where}`)
    .join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
