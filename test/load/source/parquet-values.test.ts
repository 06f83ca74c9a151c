import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type ColumnSource, parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { Invalid } from '../../../shared/load/schema/value-types.ts';
import { ParquetFile } from '../../../shared/load/source/read-parquet.ts';
import { useTable } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf, makeFolder } from '../support/folder.ts';
import { NETWORK } from '../support/network-rows.ts';

async function readColumn(file: ParquetFile, column: string): Promise<unknown[]> {
  const rows = Number(file.metadata.num_rows);
  const all = { start: 0, end: rows, group: 0, groupStart: 0 };
  return Array.from(await file.rows(all, file.columns).read(column));
}

/** @returns the values of `x` as they are read from a file that holds `data` */
async function readBack(data: ColumnSource['data'], element: Omit<SchemaElement, 'name'>): Promise<unknown[]> {
  const schema = [
    { name: 'root', num_children: 1 },
    { repetition_type: 'OPTIONAL' as const, ...element, name: 'x' },
  ];
  return readColumn(await ParquetFile.open(parquetWriteBuffer({ columnData: [{ name: 'x', data }], schema })), 'x');
}

/** Has DuckDB write a Parquet file. @param options of `COPY`, each after a comma */
async function copy(query: string, path: string, options = ''): Promise<void> {
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  await duckdb.run(`SET TimeZone = 'UTC'; COPY (${query}) TO '${path}' (FORMAT parquet${options})`);
  duckdb.closeSync();
}

/** @returns the file that DuckDB has written for the query */
async function openQuery(query: string, options = ''): Promise<ParquetFile> {
  using folder = makeFolder();
  const path = join(folder.path, 'a.parquet');
  await copy(query, path, options);
  return ParquetFile.open(new Uint8Array(readFileSync(path)).buffer);
}

/** @returns the one value of each column of a query that DuckDB has written */
async function readQuery(columns: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  const selected = Object.entries(columns).map(([name, sql]) => `${sql} AS ${name}`);
  const file = await openQuery(`SELECT ${selected.join(', ')}`);
  const found: Record<string, unknown> = {};
  for (const name of file.columns) found[name] = (await readColumn(file, name))[0];
  return found;
}

test('timestamps are read as text with the zone of their column, to the last digit', async () => {
  const found = await readQuery({
    local: `TIMESTAMP '2026-03-08 00:00:00'`,
    local_ms: `TIMESTAMP_MS '2026-03-08 00:00:00.001'`,
    local_ns: `TIMESTAMP_NS '2026-03-08 00:00:00.000000001'`,
    instant: `TIMESTAMPTZ '2026-03-08 05:00:00+00'`,
    before: `TIMESTAMPTZ '1969-12-31 23:59:59.5+00'`,
    far: `TIMESTAMP '100000-01-01 00:00:00'`,
    day: `DATE '1969-12-31'`,
  });
  expect(found).toEqual({
    local: '2026-03-08T00:00:00',
    local_ms: '2026-03-08T00:00:00.001',
    local_ns: '2026-03-08T00:00:00.000000001',
    instant: '2026-03-08T05:00:00Z',
    before: '1969-12-31T23:59:59.500000Z',
    far: '+100000-01-01T00:00:00',
    day: '1969-12-31',
  });
});

test('timestamps of old writers without a zone are instants, as the format specifies', async () => {
  const data = [Date.parse('2026-03-08T05:00:00Z')].map((time) => new Date(time));
  expect(await readBack(data, { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' })).toEqual(['2026-03-08T05:00:00Z']);
});

test('dates out of JavaScript’s range do not make the file unreadable', async () => {
  const found = await readBack([2_000_000_000], { type: 'INT32', converted_type: 'DATE' }).catch(
    (error: Error) => error.message,
  );
  expect(found).toEqual(['172800000000000 seconds after 1970']);
});

test('decimals of any precision are exact, 128-bit integers among them', async () => {
  const found = await readQuery({
    safe: '9007199254740991::DECIMAL(38, 0)',
    beyond: '9007199254740993::DECIMAL(38, 0)',
    negative: '-123456789012345678901::DECIMAL(38, 0)',
    small: '-0.00000000000000000001::DECIMAL(38, 20)',
    zeros: '1234567890123::DECIMAL(38, 20)',
    // its double is nearer to .740992
    money: '9007199254.740991::DECIMAL(18, 6)',
    huge: '5::HUGEINT',
  });
  expect(found).toEqual({
    safe: 9007199254740991,
    beyond: '9007199254740993',
    negative: '-123456789012345678901',
    small: -1e-20,
    zeros: '1234567890123.00000000000000000000',
    money: '9007199254.740991',
    huge: 5,
  });
});

describe('rejects ambiguous values with an explanation', () => {
  const reasons = (values: readonly unknown[]) =>
    values.map((value) => (value instanceof Invalid ? value.reason : value));

  test('32-bit floats, unless they are exact', async () => {
    const data = [1.5, 1.100000023841858, 150_000.09375, 0.015625, 16_777_216, 16_777_218, Number.NaN, 0, null];
    const why = 'as a 32-bit float (FLOAT), which is exact to 7 digits only: write a 64-bit integer, DECIMAL or DOUBLE';
    expect(reasons(await readBack(data, { type: 'FLOAT' }))).toEqual([
      1.5,
      `is 1.100000023841858 ${why}`,
      `is 150000.09375 ${why}`,
      0.015625,
      16_777_216,
      `is 16777218 ${why}`,
      Number.NaN,
      0,
      null,
    ]);
    expect(await readBack([1.1, 16_777_218], { type: 'DOUBLE' })).toEqual([1.1, 16_777_218]);
  });

  /** 17.35 was loaded as 17.34375, and 4099 as 4100. */
  test('16-bit floats, unless they are exact', async () => {
    const why =
      'as a 16-bit float (FLOAT16), which is exact to 3 digits only: write a 64-bit integer, DECIMAL or DOUBLE';
    const half = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } } as const;
    expect(reasons(await readBack([17.5, 17.34375, 2_000, 4_100, null], half))).toEqual([
      ...[17.5, `is 17.34375 ${why}`, 2_000, `is 4100 ${why}`, null],
    ]);
  });

  test('bytes without a type, such as 128-bit integers of some writers', async () => {
    const data = [Uint8Array.from({ length: 16 }, (_, i) => i), null];
    expect(reasons(await readBack(data, { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16 }))).toEqual([
      'is a FIXED_LEN_BYTE_ARRAY of 16 bytes without a logical type: write a 64-bit integer, DECIMAL or text',
      null,
    ]);
  });

  test('bytes that are not UTF-8', async () => {
    const data = [Buffer.from('Caf\xe9', 'latin1'), Buffer.from('Café'), Buffer.alloc(20, 0xff), Buffer.from('\ufffd')];
    expect(reasons(await readBack(data, { type: 'BYTE_ARRAY', converted_type: 'UTF8' }))).toEqual([
      'must be UTF-8, not "Caf\ufffd"',
      'Café',
      `must be UTF-8, not "${'\ufffd'.repeat(20)}"`,
      '\ufffd',
    ]);
  });
});

const made = useTable();

test('a load reports such values with their columns and rows', async () => {
  using folder = folderOf(NETWORK);
  mkdirSync(join(folder.path, 'facts/pla'), { recursive: true });
  await copy(
    `SELECT TIMESTAMP '2026-03-01 07:00:00' AS daily_date, 0.5::FLOAT AS hour, 1000 AS ad_group_id, '\\xE9'::BLOB AS keyword,
      '\\xE9'::BLOB AS entity_id, '\\xE9'::BLOB AS impressions, 1.1::FLOAT AS cost, ['ann'::BLOB, '\\xE9'::BLOB] AS users`,
    join(folder.path, 'facts/pla/delivery.parquet'),
  );
  const { problems } = await loadFolder({ userIdKey, folder: folder.path, table: made.table, timeZone: 'UTC' });
  expect(problems.map(formatProblem).map((problem) => problem.replace('facts/pla/delivery.parquet:1: ', ''))).toEqual([
    'daily_date must be a date YYYY-MM-DD, not "2026-03-01T07:00:00": a timestamp is a date at midnight only; write 2026-03-01 if that is the day',
    'hour must be an integer from 0 to 23, not 0.5',
    'keyword must be UTF-8, not "\ufffd"',
    'entity_id must be UTF-8, not "\ufffd"',
    'impressions must be UTF-8, not "\ufffd"',
    'cost is 1.100000023841858 as a 32-bit float (FLOAT), which is exact to 7 digits only: write a 64-bit integer, DECIMAL or DOUBLE',
    'users has a member that must be UTF-8, not "\ufffd"',
  ]);
});

/** DuckDB writes unsigned integers so with PARQUET_VERSION V2: 3,000,000,000 was loaded as 852,516,352. */
test('unsigned 32-bit integers with differences, which the library misreads, are rejected', async () => {
  const query = 'SELECT (3000000000 + i)::UINTEGER AS x FROM range(5000) t(i)';
  await expect(openQuery(query, ', PARQUET_VERSION V2')).rejects.toThrow('unsigned 32-bit integers with differences');
  const expected = Array.from({ length: 5_000 }, (_, i) => 3_000_000_000 + i);
  expect(await readColumn(await openQuery(query), 'x')).toEqual(expected);
});

/** Their nulls shift the values: fastparquet writes them with has_nulls=None, and a number was read as null. */
test('columns that do not state whether they may be null are rejected', async () => {
  const schema = [
    { name: 'root', num_children: 1 },
    { name: 'x', type: 'INT32' as const },
  ];
  const file = parquetWriteBuffer({ columnData: [{ name: 'x', data: [1] }], schema });
  await expect(ParquetFile.open(file)).rejects.toThrow('with fastparquet with has_nulls=True');
});

test('members of lists are read as the library gives them: ids above 2^53 that are decimals are rejected later', async () => {
  const file = await openQuery(
    `SELECT ['c'] AS text, [7::DECIMAL(18, 0)] AS decimal, [1.5::DECIMAL(10, 2)] AS fraction`,
  );
  expect(await readColumn(file, 'text')).toEqual([['c']]);
  expect(await readColumn(file, 'decimal')).toEqual([[7]]);
  expect(await readColumn(file, 'fraction')).toEqual([[1.5]]);
});

test('a row group is read without looking at the others, of which a file may have thousands', async () => {
  const data = Array.from({ length: 600 }, (_, i) => BigInt(i));
  const file = await ParquetFile.open(parquetWriteBuffer({ columnData: [{ name: 'x', data }], rowGroupSize: 2 }));
  const ranges = [...file.ranges()];
  const visited = new Set<number>();
  for (const [index, group] of file.metadata.row_groups.entries()) {
    const { columns } = group;
    Object.defineProperty(group, 'columns', { get: () => visited.add(index) && columns });
    const rows = group.num_rows;
    Object.defineProperty(group, 'num_rows', { get: () => visited.add(index) && rows });
  }
  const values: unknown[] = [];
  for (const [index, range] of ranges.entries()) {
    visited.clear();
    values.push(...Array.from(await file.rows(range, ['x']).read('x')));
    expect([...visited]).toEqual([index]);
  }
  expect(values).toEqual(data);
});

test('a column of JSON is text', async () => {
  const json = { type: 'BYTE_ARRAY', converted_type: 'JSON' } as const;
  expect(await readBack([{ a: [1, {}] }], json)).toEqual(['{"a":[1,{}]}']);
});
