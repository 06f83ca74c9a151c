import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { LoadReport } from '../../shared/load/check/load-report.ts';
import { type LoadOptions, loadFolder } from '../../shared/load/load-folder.ts';
import type { Table } from '../../shared/store/table/table.ts';
import type { LoadRow } from '../real/write-folder.ts';
import { useEngine } from '../support/use-engine.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { folderOf, makeFolder, type TestFolder, writeRows } from './support/folder.ts';
import { loadFileColumns } from './support/load-file-columns.ts';
import { EXPECTED, FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';
import { parquetFolderOf } from './support/parquet-folder.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const ALL: FolderRows = { ...NETWORK, ...FACTS };
const engine = useEngine();

async function emptyTable(): Promise<Table> {
  return (await engine.createTable()).table;
}

function load(folder: TestFolder, table: Table, more: Partial<LoadOptions> = {}): Promise<LoadReport> {
  return loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'America/New_York', ...more });
}

describe('the formats', () => {
  test.each(['ndjson', 'jsonl.gz', 'csv', 'csv.gz'])('%s files are loaded as their rows say', async (format) => {
    using folder = folderOf(ALL, format);
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('JSON arrays are loaded as their rows say', async () => {
    using ndjson = folderOf(ALL);
    using folder = makeFolder();
    for (const name of Object.keys(ALL)) {
      const lines = readFileSync(join(ndjson.path, `${name}.ndjson`), 'utf8')
        .trim()
        .split('\n');
      folder.write(
        `${name}.json`,
        JSON.stringify(
          lines.map((line) => JSON.parse(line)),
          null,
          2,
        ),
      );
    }
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('Parquet files, gzipped or not, are loaded as their rows say', async () => {
    using folder = await parquetFolderOf(ALL);
    for (const name of ['accounts', 'facts/pla/delivery']) gzipFile(folder, `${name}.parquet`);
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('byte order marks, CRLF, empty lines and a missing last line break change nothing', async () => {
    using folder = folderOf(ALL, 'csv');
    for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.csv'),
    )) {
      const text = readFileSync(join(folder.path, name), 'utf8').trimEnd();
      const windows = text.replaceAll(/\n(?!lines)/g, '\r\n'); // "Two\nlines" is a cell
      folder.write(name, `\ufeff${windows.replace('\r\n', '\r\n\r\n')}`);
    }
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('CSV whose integers and UPCs have a fraction of zeros, as pandas writes columns with gaps, is read like CSV without', async () => {
    using folder = folderOf(
      Object.fromEntries(Object.entries(ALL).map(([name, rows]) => [name, asFloats(name, rows)])),
      'csv',
    );
    expect(readFileSync(join(folder.path, 'facts/pla/delivery.csv'), 'utf8')).toContain(
      '2026-03-02,9.0,1001.0,1.0,North,oat milk,11.0,',
    );
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('integers and UPCs may be doubles in Parquet and JSON', async () => {
    using parquet = await parquetFolderOf(ALL, { integer: 'DOUBLE', digits: 'DOUBLE' });
    const inParquet = await emptyTable();
    expect((await load(parquet, inParquet)).outcome).toBe('loaded');
    expect(await readStoredNetwork(inParquet)).toEqual(EXPECTED);

    using json = folderOf(ALL);
    for (const name of ['products', 'ad_groups', 'facts/pla/delivery', 'facts/pla/conversions']) {
      const text = readFileSync(join(json.path, `${name}.ndjson`), 'utf8');
      const integers = text.replaceAll(/(?<=":)(\d+)(?=[,}])/g, '$1.0');
      const upcs = integers.replaceAll(/(?<="(?:upc|entity_id|purchased_entity_id)":)"0*(\d+)"/g, '$1.0');
      json.write(`${name}.ndjson`, upcs);
    }
    const conversions = readFileSync(join(json.path, 'facts/pla/conversions.ndjson'), 'utf8');
    expect(conversions).toMatch(/"entity_id":\d+\.0,.*"purchased_entity_id":\d+\.0/);
    const inJson = await emptyTable();
    expect((await load(json, inJson)).outcome).toBe('loaded');
    expect(await readStoredNetwork(inJson)).toEqual(EXPECTED);
  });

  test('dates may be timestamps: the platform’s midnight, or midnight without a zone', async () => {
    const table = await emptyTable();
    using local = await parquetFolderOf(ALL, { date: 'TIMESTAMP' });
    expect((await load(local, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);

    const factsAt = (time: string) =>
      Object.fromEntries(
        Object.entries(FACTS).map(([name, rows]) => [
          name,
          rows.map((row) => ({ ...row, daily_date: `${row.daily_date}${time}` })),
        ]),
      );
    using zoned = folderOf(factsAt('T05:00:00Z'), 'csv');
    using instants = await parquetFolderOf(factsAt(' 05:00:00+00'), { date: 'TIMESTAMPTZ' });
    for (const folder of [zoned, instants]) expect((await load(folder, table)).outcome).toBe('unchanged');
  });

  test('CRLF within a text is the same in CSV, NDJSON and Parquet', async () => {
    const rows = (FACTS['facts/pla/delivery'] ?? []).map((row) => ({ ...row, keyword: 'oat\r\nmilk' }));
    using csv = folderOf({ ...NETWORK, 'facts/pla/delivery': rows }, 'csv');
    using parquet = await parquetFolderOf({ 'facts/pla/delivery': rows });
    const table = await emptyTable();
    expect((await load(csv, table)).outcome).toBe('loaded');
    using ndjson = folderOf({ 'facts/pla/delivery': rows });
    for (const folder of [ndjson, parquet]) {
      const { outcome, facts } = await load(folder, table);
      expect({ outcome, rows: facts[0]?.rows }).toEqual({ outcome: 'unchanged', rows: rows.length });
    }
  });

  test('a table may come in several files of several formats, its rows in any order', async () => {
    const rows = FACTS['facts/pla/delivery'] ?? [];
    using folder = folderOf(NETWORK);
    const { 'facts/pla/delivery': _delivery, ...others } = FACTS;
    writeRows(folder, others);
    writeRows(folder, { 'facts/pla/delivery-1': rows.slice(3).toReversed() }, 'csv.gz');
    writeRows(folder, { 'facts/pla/delivery.rest': rows.slice(0, 3).toReversed() }, 'jsonl');
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });
});

/** @returns the rows, integers and digits as texts of floats */
function asFloats(name: string, rows: readonly LoadRow[]): LoadRow[] {
  const types = new Map(loadFileColumns(name).map((column) => [column.name, column.type]));
  const asFloat = (cell: unknown): unknown =>
    cell === '' ? '' : Array.isArray(cell) ? cell.map(asFloat) : `${cell}.0`;
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([column, cell]) => {
        const type = types.get(column);
        const { kind } = type?.kind === 'list' ? type.of : (type ?? { kind: 'text' });
        return [column, kind === 'integer' || kind === 'digits' ? asFloat(cell) : cell];
      }),
    ),
  ) as LoadRow[]; // a cell is the same, or text
}

function gzipFile(folder: TestFolder, name: string): void {
  folder.write(`${name}.gz`, gzipSync(readFileSync(join(folder.path, name))));
  rmSync(join(folder.path, name));
}
