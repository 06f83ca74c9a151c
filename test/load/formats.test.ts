import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type LoadOptions, loadFolder } from '../../shared/load/load-folder.ts';
import type { LoadReport } from '../../shared/load/load-report.ts';
import type { Table } from '../../shared/store/client.ts';
import { useEngine } from '../support/use-engine.ts';
import { EXPECTED } from './expected-world.ts';
import { folderOf, type TestFolder, writeRows } from './folder.ts';
import { FACTS, type FolderRows, NETWORK } from './network-rows.ts';
import { parquetFolderOf } from './parquet-folder.ts';
import { readWorld } from './read-world.ts';

const ALL: FolderRows = { ...NETWORK, ...FACTS };
const engine = useEngine();

async function emptyTable(): Promise<Table> {
  return (await engine.createTable()).table;
}

function load(folder: TestFolder, table: Table, more: Partial<LoadOptions> = {}): Promise<LoadReport> {
  return loadFolder({ folder: folder.path, table, timeZone: 'America/New_York', ...more });
}

describe('the formats', () => {
  test.each(['ndjson', 'jsonl.gz', 'csv', 'csv.gz'])('%s files are answered as their rows say', async (format) => {
    using folder = folderOf(ALL, format);
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readWorld(table)).toEqual(EXPECTED);
  });

  test('Parquet files, gzipped or not, are answered as their rows say', async () => {
    using folder = await parquetFolderOf(ALL);
    for (const name of ['accounts', 'facts/pla/delivery']) gzipFile(folder, `${name}.parquet`);
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readWorld(table)).toEqual(EXPECTED);
  });

  test('byte order marks, CRLF, empty lines and a missing last line end change nothing', async () => {
    using folder = folderOf(ALL, 'csv');
    for (const name of readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((it) =>
      it.endsWith('.csv'),
    )) {
      const text = readFileSync(join(folder.path, name), 'utf8').trimEnd();
      const windows = text.replaceAll(/\n(?!lines)/g, '\r\n'); // "Two\nlines" is a cell
      folder.write(name, `\ufeff${windows.replace('\r\n', '\r\n\r\n')}`);
    }
    const table = await emptyTable();
    expect((await load(folder, table)).outcome).toBe('loaded');
    expect(await readWorld(table)).toEqual(EXPECTED);
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
    expect(await readWorld(table)).toEqual(EXPECTED);
  });
});

function gzipFile(folder: TestFolder, name: string): void {
  folder.write(`${name}.gz`, gzipSync(readFileSync(join(folder.path, name))));
  rmSync(join(folder.path, name));
}
