import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import type { LoadReport } from '../../../shared/load/load-report.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { folderOf, makeFolder } from '../../load/folder.ts';
import { FACTS, NETWORK } from '../../load/network-rows.ts';
import { parquetFolderOf } from '../../load/parquet-folder.ts';
import { readStoredNetwork } from '../../load/read-stored-network.ts';
import { startEngine, type TestEngine } from '../../support/table.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { printFigures, randomOf, SEED, scaled } from '../support/budget.ts';
import { type Mutant, mutateBinary, mutateCsv, mutateNdjson } from './mutate-file.ts';
import { rewriteCsv, rewriteNdjson } from './plain-readers.ts';

const MUTANTS = scaled(120);
const NAME = 'facts/pla/delivery';
const ROWS = FACTS[NAME] ?? [];

let engine: TestEngine;
let table: Table;
let duckdb: DuckDBConnection;
beforeAll(async () => {
  duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  engine = await startEngine();
  table = (await engine.createTable()).table;
  using folder = folderOf(NETWORK);
  await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
});
afterAll(async () => {
  duckdb.closeSync();
  await engine.stop();
});

/** @returns the report, and all facts afterwards, those of earlier files on other days included; none if the load was rejected */
async function load(files: Readonly<Record<string, string | Buffer>>): Promise<{ report: LoadReport; facts: string }> {
  using folder = makeFolder();
  for (const [name, content] of Object.entries(files)) folder.write(name, content);
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
  const facts = report.outcome === 'rejected' ? '' : JSON.stringify((await readStoredNetwork(table)).facts);
  return { report, facts };
}

interface Format {
  readonly extension: string;
  readonly original: () => Promise<Buffer>;
  readonly mutate: (random: ReturnType<typeof randomOf>, original: Buffer) => Mutant;
  /** @returns the rows that the file may mean, as files of another form that other code has made */
  readonly rewrite: (mutant: Buffer, original: Buffer) => Promise<readonly Readonly<Record<string, string | Buffer>>[]>;
}

const textOf = async (format: string) => {
  using folder = folderOf({ [NAME]: ROWS }, format);
  return readFileSync(join(folder.path, `${NAME}.${format}`));
};

const FORMATS: readonly Format[] = [
  {
    extension: 'ndjson',
    original: () => textOf('ndjson'),
    mutate: (random, original) => mutateNdjson(random, original.toString()),
    rewrite: async (mutant) => named('ndjson', rewriteNdjson(mutant)),
  },
  {
    extension: 'csv',
    original: () => textOf('csv'),
    mutate: (random, original) => mutateCsv(random, original.toString()),
    rewrite: async (mutant) => named('csv', rewriteCsv(mutant)),
  },
  {
    extension: 'csv.gz',
    original: async () => gzipSync(await textOf('csv')),
    mutate: mutateBinary,
    // the checksum covers every byte of the content, so what can be read is the original
    rewrite: async () => named('csv', (await textOf('csv')).toString()),
  },
  {
    extension: 'parquet',
    original: async () => {
      using folder = await parquetFolderOf({ [NAME]: ROWS });
      return readFileSync(join(folder.path, `${NAME}.parquet`));
    },
    mutate: mutateBinary,
    // DuckDB rejects some harmless changes, and reads some columns wrongly whose change it does not notice: the rows of the original are right, too
    rewrite: async (mutant, original) => [
      ...named('ndjson', await readWithDuckDb(mutant)),
      ...named('ndjson', await readWithDuckDb(original)),
    ],
  },
];

function named(extension: string, text: string | undefined): Readonly<Record<string, string>>[] {
  return text === undefined ? [] : [{ [`${NAME}.${extension}`]: text }];
}

/** @returns the rows as NDJSON; undefined if DuckDB rejects the file */
async function readWithDuckDb(bytes: Buffer): Promise<string | undefined> {
  using folder = makeFolder();
  const [from, to] = [join(folder.path, 'x.parquet'), join(folder.path, 'x.ndjson')];
  writeFileSync(from, bytes);
  try {
    await duckdb.run(`COPY (SELECT * FROM '${from}') TO '${to}' (FORMAT json)`);
    return readFileSync(to, 'utf8');
  } catch {
    return undefined;
  }
}

describe('a damaged file is rejected with its place, or its rows are those that another reader finds in it', () => {
  test.each(FORMATS.map((format, i) => [format.extension, i, format] as const))(
    '%s',
    async (extension, index, format) => {
      const original = await format.original();
      const file = `${NAME}.${extension}`;
      const figures = { files: 0, rejected: 0, 'with line': 0, loaded: 0 };
      for (let i = 0; i < MUTANTS; i++) {
        const mutant = format.mutate(randomOf(700 + index * 100_000 + i), original);
        const what = `SEED ${SEED} ${extension} ${i}: ${mutant.bytes.subarray(0, 2_000).toString('latin1')}`;
        const { report, facts } = await load({ [file]: mutant.bytes });
        figures.files += 1;
        if (report.outcome === 'rejected') {
          const [problem] = report.problems;
          expect(problem?.file, what).toBe(file);
          expect(problem?.reason.length, what).toBeGreaterThan(3);
          if (mutant.line !== undefined) expect(problem?.line, what).toBe(mutant.line);
          if (typeof problem?.line === 'number') figures['with line'] += 1;
          figures.rejected += 1;
          continue;
        }
        figures.loaded += 1;
        const readings: string[] = [];
        for (const files of await format.rewrite(mutant.bytes, original)) {
          if (readings.at(-1) !== facts) readings.push((await load(files)).facts);
        }
        expect(readings.at(-1), what).toBe(facts);
      }
      printFigures(`fuzz, ${extension}`, figures);
      expect(figures.rejected).toBeGreaterThan(MUTANTS / 4);
    },
  );
});
