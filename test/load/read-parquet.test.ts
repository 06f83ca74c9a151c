import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatDay } from '../../shared/calendar.ts';
import { ParquetFile } from '../../shared/load/read-parquet.ts';
import { UnreadableFileError } from '../../shared/load/row-batch.ts';

const ROWS = 9_000;
const GROUP = 4_096;

/** How a column is made in SQL from the row `i`, and which value it must then have. */
const COLUMNS: Readonly<Record<string, readonly [sql: string, value: (i: number) => unknown]>> = {
  few: [`'k' || (i % 7)`, (i) => `k${i % 7}`],
  many: [`'größe ' || (i * 31)`, (i) => `größe ${i * 31}`],
  gaps: [`CASE WHEN i % 3 = 0 THEN NULL ELSE 'x' || (i % 300) END`, (i) => (i % 3 === 0 ? null : `x${i % 300}`)],
  nothing: ['CAST(NULL AS VARCHAR)', () => null],
  one: [`'only'`, () => 'only'],
  small: ['CAST(i % 5 AS INTEGER)', (i) => i % 5],
  large: ['CAST(i AS BIGINT) * 4000000000', (i) => BigInt(i) * 4_000_000_000n],
  fraction: ['CAST(i AS DOUBLE) / 8', (i) => i / 8],
  money: ['CAST((i * 10 + 5) / 1000.0 AS DECIMAL(18, 6))', (i) => (i * 10 + 5) / 1000],
  wide: ['CAST(i % 50 AS DECIMAL(38, 2)) + 0.25', (i) => (i % 50) + 0.25],
  day: ["DATE '2026-01-01' + CAST(i % 400 AS INTEGER)", (i) => formatDay(20_454 + (i % 400))],
  yes: ['i % 2 = 0', (i) => i % 2 === 0],
};

let folder: string;
let duckdb: Awaited<ReturnType<DuckDBInstance['connect']>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-parquet-'));
  duckdb = await (await DuckDBInstance.create()).connect();
});

afterAll(() => {
  duckdb.closeSync();
  rmSync(folder, { recursive: true });
});

async function write(name: string, options: string): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  const columns = Object.entries(COLUMNS).map(([column, [sql]]) => `${sql} AS ${column}`);
  await duckdb.run(
    `COPY (SELECT ${columns.join(', ')} FROM range(${ROWS}) r(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE ${GROUP}, ${options})`,
  );
  return path;
}

async function open(path: string): Promise<ParquetFile> {
  return ParquetFile.open(await asyncBufferFromFile(path));
}

async function readColumn(file: ParquetFile, column: string, start: number, end: number): Promise<unknown[]> {
  const pieces = await file.rows({ start, end }).read(column);
  return pieces.flatMap(({ values, from, to }) =>
    Array.from({ length: to - from }, (_, i) => values[from + i] ?? null),
  );
}

describe('every column of a Parquet file, whatever its pages, is what was written', () => {
  test.each([
    ['zstd', 'COMPRESSION zstd'],
    ['snappy', 'COMPRESSION snappy'],
    ['gzip', 'COMPRESSION gzip'],
    ['brotli', 'COMPRESSION brotli'],
    ['lz4_raw', 'COMPRESSION lz4_raw'],
    ['uncompressed', 'COMPRESSION uncompressed'],
    ['of the second version', 'COMPRESSION zstd, PARQUET_VERSION V2'],
    ['with small dictionaries', 'COMPRESSION zstd, DICTIONARY_SIZE_LIMIT 10'],
  ])('%s', async (name, options) => {
    const file = await open(await write(name.replaceAll(' ', '-'), options));
    const ranges = [
      [0, ROWS],
      [GROUP - 5, GROUP + 5],
      [GROUP, 2 * GROUP],
      [ROWS - 1, ROWS],
    ] as const;
    for (const [column, [, value]] of Object.entries(COLUMNS)) {
      for (const [start, end] of ranges) {
        const expected = Array.from({ length: end - start }, (_, i) => value(start + i));
        expect(await readColumn(file, column, start, end), column).toEqual(expected);
      }
    }
  });
});

test('columns with a dictionary are given as that, so that each value is checked once', async () => {
  const file = await open(await write('dictionary', 'COMPRESSION zstd'));
  const [piece] = await file.rows({ start: 0, end: GROUP }).read('gaps');
  expect(piece?.coded?.dictionary).toHaveLength(201);
  expect(piece?.coded?.dictionary.at(-1)).toBeNull();
});

test('a damaged column is an error, or as it was', async () => {
  const bytes = readFileSync(await write('whole', 'COMPRESSION uncompressed'));
  const file = await open(join(folder, 'whole.parquet'));
  const [, value] = COLUMNS.gaps ?? ['', () => undefined];
  const expected = Array.from({ length: ROWS }, (_, i) => value(i));
  const group = file.metadata.row_groups[1]?.columns.find(
    (it) => it.meta_data?.path_in_schema[0] === 'gaps',
  )?.meta_data;
  const begin = Number(group?.dictionary_page_offset ?? 0);
  expect(begin).toBeGreaterThan(0);
  const outcomes = { errors: 0, same: 0, other: 0 };
  for (let i = 0; i < 60; i++) {
    const damaged = Uint8Array.from(bytes);
    const at = begin + i;
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    const path = join(folder, 'damaged.parquet');
    writeFileSync(path, damaged);
    try {
      const read = await readColumn(await open(path), 'gaps', 0, ROWS);
      expect(read).toHaveLength(ROWS);
      if (JSON.stringify(read) === JSON.stringify(expected)) outcomes.same++;
      else outcomes.other++;
    } catch (error) {
      expect(error).toBeInstanceOf(UnreadableFileError);
      outcomes.errors++;
    }
  }
  // Parquet has no checksum that its writers fill in: a changed text is another text
  expect(outcomes.errors).toBeGreaterThan(5);
});
