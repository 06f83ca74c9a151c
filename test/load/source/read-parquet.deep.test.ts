import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import { UnreadableFileError } from '../../../shared/load/source/row-batch.ts';
import { makeFolder, type TestFolder } from '../support/folder.ts';

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
  day: ["DATE '2026-01-01' + CAST(i % 400 AS INTEGER)", (i) => formatDay(dayNumber('2026-01-01') + (i % 400))],
  yes: ['i % 2 = 0', (i) => i % 2 === 0],
};

let folder: TestFolder;
let duckdb: Awaited<ReturnType<DuckDBInstance['connect']>>;

beforeAll(async () => {
  folder = makeFolder();
  duckdb = await (await DuckDBInstance.create()).connect();
});

afterAll(() => {
  duckdb.closeSync();
  folder[Symbol.dispose]();
});

async function write(name: string, options: string): Promise<string> {
  const path = join(folder.path, `${name}.parquet`);
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
  const { group = 0, groupStart = 0 } = [...file.ranges()].findLast((range) => range.start <= start) ?? {};
  return Array.from(await file.rows({ start, end, group, groupStart }, file.columns).read(column));
}

describe('every column of a Parquet file is read as it was written, with pages', () => {
  test.each([
    ['in zstd', 'COMPRESSION zstd'],
    ['in snappy', 'COMPRESSION snappy'],
    ['in gzip', 'COMPRESSION gzip'],
    ['in brotli', 'COMPRESSION brotli'],
    ['in lz4_raw', 'COMPRESSION lz4_raw'],
    ['that are not compressed', 'COMPRESSION uncompressed'],
    ['of version 2', 'COMPRESSION zstd, PARQUET_VERSION V2'],
    ['with small dictionaries', 'COMPRESSION zstd, DICTIONARY_SIZE_LIMIT 10'],
  ])('%s', async (name, options) => {
    const file = await open(await write(name.replaceAll(' ', '-'), options));
    const ranges = [
      [0, GROUP],
      [GROUP - 5, GROUP],
      [GROUP + 100, GROUP + 2_500],
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

test.each(['V1', 'V2'])(
  'a column with a changed byte at its start, in pages of %s, is an UnreadableFileError or has the same number of rows',
  async (version) => {
    const whole = await write(`whole-${version}`, `COMPRESSION uncompressed, PARQUET_VERSION ${version}`);
    const bytes = readFileSync(whole);
    const file = await open(whole);
    const gaps = file.metadata.row_groups[1]?.columns.find(
      (column) => column.meta_data?.path_in_schema[0] === 'gaps',
    )?.meta_data;
    const begin = Number(gaps?.dictionary_page_offset ?? 0);
    expect(begin).toBeGreaterThan(0);
    let errors = 0;
    for (let i = 0; i < 60; i++) {
      const damaged = Uint8Array.from(bytes);
      const at = begin + i;
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      const path = join(folder.path, 'damaged.parquet');
      writeFileSync(path, damaged);
      try {
        expect(await readColumn(await open(path), 'gaps', GROUP, 2 * GROUP)).toHaveLength(GROUP);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableFileError);
        errors++;
      }
    }
    // DuckDB writes no page checksums, so a changed text is another text
    expect(errors).toBeGreaterThan(5);
  },
);

test('a column whose page header of V2 has a cleared byte is an UnreadableFileError or has the same number of rows', async () => {
  const path = await write('levels', 'COMPRESSION uncompressed, PARQUET_VERSION V2');
  const bytes = Uint8Array.from(readFileSync(path));
  const { metadata } = await open(path);
  const few = metadata.row_groups[0]?.columns[0]?.meta_data;
  const header = Number(few?.data_page_offset ?? 0);
  let damaged = 0;
  for (let byte = header; byte < header + 40; byte++) {
    const changed = Uint8Array.from(bytes);
    changed[byte] = 0;
    writeFileSync(path, changed);
    const outcome = await readColumn(await open(path), 'few', 0, GROUP).catch((error: unknown) => error);
    if (outcome instanceof UnreadableFileError) damaged++;
    else expect(outcome).toHaveLength(GROUP);
  }
  expect(damaged).toBeGreaterThan(5);
});
