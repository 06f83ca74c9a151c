import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoadReport } from '../../../shared/load/check/load-report.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { folderOf, makeFolder } from '../../load/support/folder.ts';
import { FACTS, NETWORK } from '../../load/support/network-rows.ts';
import { parquetFolderOf } from '../../load/support/parquet-folder.ts';
import { readStoredNetwork } from '../../load/support/read-stored-network.ts';
import { startEngine, type TestEngine } from '../../support/table.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { printFigures, randomOf, SEED, scaled } from '../support/budget.ts';
import { type Mutant, mutateBinary, mutateCsv, mutateNdjson } from './mutate-file.ts';
import { mutateGzip, readMembers } from './mutate-gzip.ts';
import { rewriteCsv, rewriteNdjson } from './plain-readers.ts';

const MUTANTS = scaled(60);
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

/**
 * @returns the report, and the number of the file's rows with all facts afterwards, including those of earlier files on other days; no facts if the load was
 * rejected
 */
async function load(files: Readonly<Record<string, string | Buffer>>): Promise<{ report: LoadReport; facts: string }> {
  using folder = makeFolder();
  for (const [name, content] of Object.entries(files)) folder.write(name, content);
  const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
  if (report.outcome === 'rejected') return { report, facts: '' };
  const { facts } = await readStoredNetwork(table);
  // with the file's own rows, because facts of earlier files on other days stay
  return { report, facts: JSON.stringify([report.facts, facts]) };
}

interface Format {
  readonly extension: string;
  readonly original: () => Promise<Buffer>;
  readonly mutate: (random: ReturnType<typeof randomOf>, original: Buffer) => Mutant;
  /** @returns candidate rewrites of the file, made by independent readers; it must load like one of them */
  readonly rewrite: (mutant: Buffer, original: Buffer) => Promise<readonly Readonly<Record<string, string | Buffer>>[]>;
}

const readOriginal = async (format: string) => {
  using folder = folderOf({ [NAME]: ROWS }, format);
  return readFileSync(join(folder.path, `${NAME}.${format}`));
};

const FORMATS: readonly Format[] = [
  {
    extension: 'ndjson',
    original: () => readOriginal('ndjson'),
    mutate: (random, original) => mutateNdjson(random, original.toString()),
    rewrite: async (mutant) => named('ndjson', rewriteNdjson(mutant)),
  },
  {
    extension: 'csv',
    original: () => readOriginal('csv'),
    mutate: (random, original) => mutateCsv(random, original.toString()),
    rewrite: async (mutant) => named('csv', rewriteCsv(mutant)),
  },
  {
    extension: 'csv.gz',
    original: async () => gzipSync(await readOriginal('csv')),
    mutate: (random, original) =>
      random.chance(0.5) ? mutateBinary(random, original) : mutateGzip(random, gunzipSync(original)),
    rewrite: async (mutant) => named('csv', rewriteCsv(readMembers(mutant) ?? Buffer.alloc(0))),
  },
  {
    extension: 'parquet',
    original: async () => {
      using folder = await parquetFolderOf({ [NAME]: ROWS });
      return readFileSync(join(folder.path, `${NAME}.parquet`));
    },
    mutate: mutateBinary,
    // DuckDB rejects some harmless changes and misreads some damaged columns, so the original's rows count as right, too
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

describe('a damaged file is rejected with its name, a reason and, if it is known, the line; or an independent reader finds the same rows in it', () => {
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
        const isRejected = report.outcome === 'rejected';
        if (mutant.outcome !== undefined) expect(isRejected ? 'rejected' : 'loaded', what).toBe(mutant.outcome);
        if (isRejected) {
          const [problem] = report.problems;
          expect(problem?.file, what).toBe(file);
          expect(problem?.reason.length, what).toBeGreaterThan(3);
          if (mutant.line !== undefined) expect(problem?.line, what).toBe(mutant.line);
          if (typeof problem?.line === 'number') figures['with line'] += 1;
          figures.rejected += 1;
          continue;
        }
        figures.loaded += 1;
        let rewritten: string | undefined;
        for (const files of await format.rewrite(mutant.bytes, original)) {
          if (rewritten !== facts) rewritten = (await load(files)).facts;
        }
        expect(rewritten, what).toBe(facts);
      }
      printFigures(`fuzz, ${extension}`, figures);
      expect(figures.rejected).toBeGreaterThan(MUTANTS / 4);
    },
  );
});
