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

/**
 * Readers that share no code with the loader, to compare it with. They return the same rows in another form, which must load with the same result, or
 * undefined if the file is not in its format.
 */

/** @returns the records with their members in reverse order */
function rewriteNdjson(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  try {
    return lines
      .map((line) => {
        const record: unknown = JSON.parse(line);
        if (typeof record !== 'object' || record === null || Array.isArray(record)) throw new Error('not an object');
        return `${JSON.stringify(Object.fromEntries(Object.entries(record).toReversed()))}\n`;
      })
      .join('');
  } catch {
    return undefined;
  }
}

/** @returns the records with every cell in quotes, and the columns in reverse order */
function rewriteCsv(bytes: Buffer): string | undefined {
  const text = decodeUtf8(bytes);
  const records = text === undefined ? undefined : parseCsv(text);
  if (records === undefined) return undefined;
  const isBlank = (record: readonly string[]) => record.length === 1 && record[0] === '';
  const [header = [], ...others] = records.slice(records.findIndex((record) => !isBlank(record)));
  const rows = [header, ...others.filter((record) => !isBlank(record) || header.length === 1)];
  if (rows.some((record) => record.length !== header.length)) return undefined;
  return rows
    .map((record) =>
      record
        .toReversed()
        .map((cell) => `"${cell.replaceAll('"', '""')}"`)
        .join(','),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** RFC 4180, character by character; but spaces and tabs after a closing quote are ignored, and a cell that begins without a quote may have quotes. */
function parseCsv(text: string): string[][] | undefined {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        if (at >= text.length) return undefined;
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at += 1;
        } else break;
        at += 1;
      }
      at += 1;
      while (/[ \t]/.test(text[at] ?? '')) at += 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) return undefined;
    } else {
      while (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) {
        cell += text[at];
        at += 1;
      }
    }
    record.push(cell);
    if (text[at] === ',') {
      at += 1;
      if (at === text.length) record.push('');
      continue;
    }
    if (text[at] === '\r') {
      at += 1;
      if (at < text.length && text[at] !== '\n') return undefined;
    }
    if (text[at] === '\n') at += 1;
    records.push(record);
    record = [];
  }
  if (record.length > 0) records.push(record);
  return records;
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
