import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoadOptions, loadFolder } from '../../shared/load/load-folder.ts';
import { directorySource, type FileSource } from '../../shared/load/source/file-source.ts';
import type { Item } from '../../shared/store/table/item.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf, makeFolder, type TestFolder, writeRows } from './support/folder.ts';
import { NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';

const ROWS = 8_000;
const engine = useEngine();
let folder: TestFolder;

/** The rows in NDJSON, in CSV, without creatives in gzipped CSV, and without keywords in Parquet; large enough for threads. Keywords differ from section to section. */
beforeAll(async () => {
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    daily_date: `2026-03-0${1 + (i % 3)}`,
    hour: i % 24,
    ad_group_id: [1000, 1001, 1100][i % 3] ?? 1000,
    placement_id: 1 + (i % 2),
    creative_key: `creative of a rather long name, which quotes "${i % 100}"`,
    entity_id: String(41_000_000_000 + (i % 977)),
    impressions: 1 + (i % 7),
    cost: `${i % 13}.${String(i).padStart(6, '0')}`,
    users: [`user ${i % 1000}`, `user ${i % 77}`],
  }));
  const keywords = rows.map((row, i) => ({ ...row, keyword: `word ${Math.floor(i / 5)}` }));
  const plain = keywords.map((row) => ({ ...row, creative_key: '' }));
  using parquet = await parquetFolderOf({ 'facts/toa/delivery': rows });
  folder = folderOf(NETWORK);
  writeRows(folder, { 'facts/pla/delivery-1': keywords }, 'ndjson');
  writeRows(folder, { 'facts/pla/delivery-2': keywords.toReversed() }, 'csv');
  writeRows(folder, { 'facts/pla/delivery-3': plain }, 'csv.gz');
  folder.write('columns.json', '{"filesAddUp": true}');
  folder.write('facts/toa/delivery.parquet', readFileSync(join(parquet.path, 'facts/toa/delivery.parquet')));
});
afterAll(() => folder[Symbol.dispose]());

/** The same for all, because what has changed is stored with its time. */
const LOADED_AT = Date.parse('2026-03-04T06:00:00Z');

async function contentAfter(options: Partial<LoadOptions>): Promise<Item[]> {
  const { table, content } = await engine.createTable();
  const report = await loadFolder({
    userIdKey,
    folder: folder.path,
    table,
    timeZone: 'UTC',
    clock: () => LOADED_AT,
    ...options,
  });
  expect(report).toMatchObject({ outcome: 'loaded', facts: [{ rows: 3 * ROWS }, { rows: ROWS }] });
  return (await content()).filter((item) => !/^(COMMIT|JOURNAL|AUDIT)/.test(item.pk));
}

/** A source without local paths, as a bucket is. */
function remoteSource(path: string): FileSource {
  const { list, read } = directorySource(path);
  return { list, read };
}

test('a table is the same, item by item, with several threads as without, and whether the files are on a local disk or not', async () => {
  const expected = await contentAfter({ limits: { threads: 0 } });
  expect(await contentAfter({ limits: { threads: 3 } })).toEqual(expected);
  expect(await contentAfter({ limits: { threads: 2, spillBytes: 0 }, source: remoteSource(folder.path) })).toEqual(
    expected,
  );
});

test('finds rows with equal keys in different files, with several threads as without', async () => {
  const { table } = await engine.createTable();
  const { list, ...source } = directorySource(folder.path);
  const withoutColumns = { ...source, list: async () => (await list()).filter(({ name }) => name !== 'columns.json') };
  const reports = [0, 3].map((threads) =>
    loadFolder({ userIdKey, folder: folder.path, source: withoutColumns, table, timeZone: 'UTC', limits: { threads } }),
  );
  for (const { problems } of await Promise.all(reports)) {
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      file: 'facts/pla/delivery-2.csv',
      reason: expect.stringContaining('8,000 of 8,000 rows have the keys of rows in facts/pla/delivery-1.ndjson'),
    });
  }
});

test('reports problems of all sections in the order of the lines', async () => {
  const { table } = await engine.createTable();
  const row = { daily_date: '2026-03-01', hour: 0, ad_group_id: 1000, live_seconds: 1, scheduled_seconds: 1 };
  const text = Array.from({ length: 40_000 }, (_, i) => JSON.stringify(i % 9000 === 8999 ? { ...row, hour: i } : row));
  using wrong = folderOf(NETWORK);
  wrong.write('facts/pla/activity.ndjson', text.join('\n'));
  const report = await loadFolder({ userIdKey, folder: wrong.path, table, timeZone: 'UTC', limits: { threads: 3 } });
  expect(report.problems.map((problem) => [problem.line, problem.reason])).toEqual(
    [9000, 18_000, 27_000, 36_000].map((line) => [line, `must be an integer from 0 to 23, not ${line - 1}`]),
  );
});

test('a load with threads can be interrupted while it reads', async () => {
  const { table, content } = await engine.createTable();
  const interrupted = new AbortController();
  const loading = loadFolder({
    userIdKey,
    folder: folder.path,
    table,
    timeZone: 'UTC',
    limits: { threads: 2 },
    signal: interrupted.signal,
    onProgress: ({ rows }) => {
      if (rows > ROWS / 2) interrupted.abort(new Error('interrupted by the test'));
    },
  });
  await expect(loading).rejects.toThrow('interrupted by the test');
  expect(await content()).toEqual([]);
});

test('reports a source without files under the name of its folder', async () => {
  using empty = makeFolder();
  const { table } = await engine.createTable();
  const report = await loadFolder({
    userIdKey,
    folder: 's3://bucket/prefix/',
    source: remoteSource(empty.path),
    table,
    timeZone: 'UTC',
  });
  expect(report.problems[0]).toMatchObject({ file: 's3://bucket/prefix/', line: null });
});
