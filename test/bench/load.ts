import { rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import type { ValueType } from '../../shared/load/schema/value-types.ts';
import { randomFrom } from '../oracle/random/random.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { userIdKey } from '../support/user-id-key.ts';
import type { BenchRow } from './bench-row.ts';
import { type BenchFolder, daysFrom, makeBenchFolder, writeFactsCsv } from './tools/bench-folder.ts';
import { type BenchEngine, startBenchEngine } from './tools/engine.ts';
import { formatMillions, formatSeconds } from './tools/format.ts';
import { generateDelivery } from './tools/generate-facts.ts';
import { measureInTurn } from './tools/timing.ts';

const ROWS_PER_DAY = 33_000;
/** The first round is profiled and runs cold, so the median is the slower of the two others. */
const ROUNDS = 3;
/** Users are most of the written bytes, so the load with users has a quarter of the rows. */
const SHARE_WITH_USERS = 1 / 4;
/** Different users of all rows, and the maximum per row. */
const AUDIENCE = 400_000;
const MAX_USERS = 4;
const TARGET_WITH_USERS = 11;

/** The formats of the loaded file, with the target for the ratio and DuckDB's expression that reads the same file. */
const FORMATS = {
  'ndjson.gz': {
    name: 'NDJSON.gz',
    target: 4.5,
    source: (path: string) => `read_json('${path}', columns = {${typesOf(false)}})`,
  },
  csv: { name: 'CSV', target: 4.5, source: (path: string) => `read_csv('${path}', columns = {${typesOf(false)}})` },
  parquet: { name: 'Parquet', target: 7, source: (path: string) => `read_parquet('${path}')` },
} as const;
type Format = keyof typeof FORMATS;

/**
 * Loading delivery rows with all keys and measures (in one case also users) into the embedded table, against DuckDB's COPY of the same file to zstd
 * Parquet. The table has its own process: its work counts as elapsed time, but not as processor time.
 */
export async function benchLoad(rows: number): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    const days = Math.max(1, Math.round(rows / ROWS_PER_DAY));
    const results: BenchRow[] = [];
    for (const format of ['ndjson.gz', 'csv', 'parquet'] as const) {
      results.push(await compareLoads(engine, duckdb, format, days, 'without users'));
    }
    const fewer = Math.max(1, Math.round(days * SHARE_WITH_USERS));
    return [...results, await compareLoads(engine, duckdb, 'parquet', fewer, 'with users')];
  } finally {
    duckdb.closeSync();
  }
}

async function compareLoads(
  engine: BenchEngine,
  duckdb: DuckDBConnection,
  format: Format,
  days: number,
  users: 'with users' | 'without users',
): Promise<BenchRow> {
  using folder = makeBenchFolder();
  using copyFolder = makeBenchFolder(); // the loader would load a copy in its own folder
  const path = await writeDelivery(folder, duckdb, format, days, users === 'with users');
  const copy = async (threads: number | undefined) => {
    await duckdb.run(threads === undefined ? 'RESET threads' : `SET threads = ${threads}`);
    const target = join(copyFolder.path, 'copy.parquet');
    await duckdb.run(
      `COPY (SELECT * FROM ${FORMATS[format].source(path)}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
    );
  };
  const load = async () => {
    const { table } = await engine.createTable(); // a second load into the same table would write nothing
    const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: SETTINGS.timezone });
    if (report.outcome !== 'loaded') throw new Error(`the rows were not loaded: ${JSON.stringify(report.problems)}`);
  };
  let hotSpots: readonly HotSpot[] | undefined;
  const profileOnce = async () => {
    if (hotSpots === undefined) hotSpots = await profileWork(load);
    else await load();
  };
  const works = { endcap: profileOnce, allThreads: () => copy(undefined), oneThread: () => copy(1) };
  const { endcap, allThreads, oneThread } = await measureInTurn(ROUNDS, works);
  const target = users === 'with users' ? TARGET_WITH_USERS : FORMATS[format].target;
  const cpuRatio = (endcap.cpuMs / allThreads.cpuMs).toFixed(1);
  const cpu = `processor time: Endcap ${formatSeconds(endcap.cpuMs)}, DuckDB ${formatSeconds(allThreads.cpuMs)} (${cpuRatio} ×)`;
  return {
    what: `load of ${formatMillions(days * ROWS_PER_DAY)} rows, ${FORMATS[format].name}, ${users}`,
    endcap: formatSeconds(endcap.wallMs),
    peer: `DuckDB COPY: ${formatSeconds(allThreads.wallMs)}, with 1 thread ${formatSeconds(oneThread.wallMs)}`,
    ratio: endcap.wallMs / allThreads.wallMs,
    target: `≤ ${target}`,
    note: `${cpu}; main thread: ${describe(hotSpots ?? [])}`,
  };
}

/** @returns the path of the folder's only fact file */
async function writeDelivery(
  folder: BenchFolder,
  duckdb: DuckDBConnection,
  format: Format,
  days: number,
  withShoppers: boolean,
): Promise<string> {
  const generate = (n: number) => generateDelivery(n, ROWS_PER_DAY);
  const csv = writeFactsCsv(folder, 'delivery', daysFrom(0, days), generate, withShoppers ? usersOfRow : undefined);
  if (format === 'csv') return csv;
  const path = csv.replace(/csv$/, format);
  const columns = withShoppers ? "* REPLACE (string_split(users, '|') AS users)" : '*';
  const options = format === 'parquet' ? 'FORMAT parquet, COMPRESSION zstd' : 'FORMAT json, COMPRESSION gzip';
  await duckdb.run(
    `COPY (SELECT ${columns} FROM read_csv('${csv}', columns = {${typesOf(withShoppers)}})) TO '${path}' (${options})`,
  );
  await rm(csv);
  return path;
}

/** @returns one to four user ids, seeded by the row */
function usersOfRow(n: number, row: number): string[] {
  const random = randomFrom(n * 1_000_003 + row);
  return Array.from({ length: 1 + random.int(MAX_USERS) }, () => `user-${random.int(AUDIENCE)}`);
}

/** @returns the columns of the fact file with the DuckDB types that correspond to the loader's types */
function typesOf(withShoppers: boolean): string {
  const columns = factColumns('delivery').filter(({ role }) => withShoppers || role !== 'users');
  return columns.map(({ name, type }) => `${name}: '${duckdbType(type)}'`).join(', ');
}

function duckdbType(type: ValueType): string {
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

function describe(hotSpots: readonly HotSpot[]): string {
  return hotSpots
    .slice(0, 3)
    .map(({ where, share }) => `${(share * 100).toFixed(0)} % ${where}`)
    .join(', ');
}

/** A place in the code, and its share of the thread's busy time. */
export interface HotSpot {
  /** `function (file)` */
  readonly where: string;
  readonly share: number;
}

/** Nodes of the profile that stand for no function, although the thread is busy. */
const NO_FUNCTION = new Set(['(program)', '(root)']);

/** @returns the places where the calling thread spent its busy time while the work ran, the largest share first */
export async function profileWork(work: () => Promise<unknown>): Promise<HotSpot[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const samples = new Map<string, number>();
  let busy = 0;
  for (const { callFrame, hitCount = 0 } of profile.nodes) {
    const { functionName, url } = callFrame;
    if (functionName === '(idle)') continue;
    busy += hitCount;
    if (NO_FUNCTION.has(functionName)) continue;
    const where = `${functionName || 'anonymous'}${placeOf(url)}`;
    samples.set(where, (samples.get(where) ?? 0) + hitCount);
  }
  const spots = [...samples].map(([where, count]) => ({ where, share: count / busy }));
  return spots.sort((a, b) => b.share - a.share);
}

function placeOf(url: string): string {
  if (url === '') return '';
  return ` (${basename(url.startsWith('file:') ? fileURLToPath(url) : url)})`;
}
