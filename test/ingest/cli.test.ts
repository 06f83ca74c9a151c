import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ingestFolder } from '../../shared/ingest/ingest-folder.ts';
import { EXPECTED } from '../load/expected-world.ts';
import { folderOf, makeFolder } from '../load/folder.ts';
import { FACTS, NETWORK } from '../load/network-rows.ts';
import { readWorld } from '../load/read-world.ts';
import { startEngine, type TestEngine, type TestTable } from '../support/table.ts';
import { BUCKET, type ObjectServer, startObjectServer } from './object-server.ts';

const ROOT = join(import.meta.dirname, '../..');
let engine: TestEngine;
let server: ObjectServer;
let table: TestTable;
let loads: Promise<unknown>[];

beforeAll(async () => {
  engine = await startEngine();
  server = await startObjectServer();
});
afterAll(async () => {
  await server.stop();
  await engine.stop();
});
beforeEach(async () => {
  server.objects.clear();
  server.requests.length = 0;
  table = await engine.createTable();
  loads = [];
  server.onCreated = (key, etag) => {
    if (key.endsWith('/_READY')) loads.push(loadAsTheStackDoes(key.slice(0, -'_READY'.length), etag));
  };
});

function loadAsTheStackDoes(prefix: string, etag: string): Promise<unknown> {
  return ingestFolder({
    bucket: openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' }),
    prefix,
    arrival: { etag, sequencer: '1' },
    table: table.table,
    timeZone: 'UTC',
    signal: new AbortController().signal,
    removeMs: 10_000,
    limits: { threads: 0 },
  });
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `npm run load` as npm would. */
function load(args: readonly string[], onError?: (err: string, interrupt: () => void) => void): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const child = spawn(process.execPath, ['infra/cli/load.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, AWS_ENDPOINT_URL_S3: server.endpoint, DATA_DIR: '/nowhere' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text: Buffer) => {
    out += text.toString();
  });
  child.stderr.on('data', (text: Buffer) => {
    err += text.toString();
    onError?.(err, () => child.kill('SIGINT'));
  });
  child.on('close', (code) => resolve({ code, out, err }));
  return promise;
}

const LOADED_LINES = 17;

describe('npm run load -- FOLDER --bucket', () => {
  test('sends the folder with its _READY, waits for the report, and tells it as a load from here does', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS }, 'csv.gz');
    folder.write('.git/config', 'no data');
    const first = await load([folder.path, '--bucket', BUCKET, '--prefix', '/march/']);
    const [sending, sent, waiting] = first.err.split('\n');
    expect({ code: first.code, sending, waiting }).toEqual({
      code: 0,
      sending: `sending ${folder.path} to s3://folders/march/`,
      waiting: 'waiting for the report',
    });
    expect(sent).toMatch(/^sent 0\.0 of 0\.0 MB in [\d.]+ s$/);
    const lines = first.out.split('\n');
    expect([lines[0], lines[11], lines.at(-2), lines.length]).toEqual([
      '  accounts: 2 rows, written',
      '  facts/carousel/delivery: 1 row on 1 day of advertisers',
      'loaded',
      LOADED_LINES + 1,
    ]);
    expect(await readWorld(table.table)).toEqual(EXPECTED);

    const ready = JSON.parse(String(server.objects.get('march/_READY')));
    const users = readFileSync(join(folder.path, 'users.csv.gz'));
    expect(ready.files).toContainEqual({
      name: 'users.csv.gz',
      bytes: users.length,
      sha256: createHash('sha256').update(users).digest('hex'),
    });
    expect(ready.files).toHaveLength(Object.keys({ ...NETWORK, ...FACTS }).length);
    expect([...server.objects.keys()].filter((key) => key.includes('.git'))).toEqual([]);

    server.requests.length = 0;
    const second = await load([folder.path, '--bucket', BUCKET, '--prefix', 'march']);
    expect([second.code, second.out.split('\n').at(-2)]).toEqual([0, 'unchanged: all of it had been loaded before']);
    expect(server.requests.filter((it) => it.startsWith('PUT') && !it.includes('/_'))).toEqual([]);
  });

  test('calls the folder in the bucket as it is called here', async () => {
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    const { code } = await load([folder.path, '--bucket', BUCKET]);
    expect(code).toBe(0);
    expect(server.objects.has(`${basename(folder.path)}/accounts.ndjson`)).toBe(true);
  });

  test('tells what is wrong with the folder, and ends with 1', async () => {
    using folder = makeFolder();
    folder.write('accounts.csv', 'id,name\nx,A\n');
    folder.write('notes.md', 'by hand');
    const { code, out, err } = await load([folder.path, '--bucket', BUCKET]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n').slice(-4)).toEqual([
      'warning: notes.md: not a data file, ignored',
      'accounts.csv:2: id must be an integer ≥ 1, not "x"',
      'endcap: 1 problem, nothing was loaded',
      '',
    ]);
  });

  test('Ctrl-C while it waits says that the load goes on, and ends with 130', async () => {
    server.onCreated = () => undefined; // a stack that takes its time
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    const { code, err } = await load([folder.path, '--bucket', BUCKET, '--prefix', 'f'], (text, interrupt) => {
      if (text.endsWith('waiting for the report\n')) interrupt();
    });
    expect({ code, last: err.split('\n').at(-2) }).toEqual({
      code: 130,
      last: 'interrupted: the load goes on, and its report will be s3://folders/f/_REPORT.json',
    });
  });

  test.each<[string, string[], string]>([
    ['a prefix without a bucket', ['--prefix', 'x'], '--prefix is a name in a bucket: --bucket is missing'],
    [
      'a bucket and a table',
      ['--bucket', BUCKET, '--table', 'T'],
      '--bucket goes with neither --table nor --max-errors',
    ],
    ['a folder without files', ['--bucket', BUCKET], 'holds no files'],
    ['a bucket that is not there', ['--bucket', 'other'], 'NoSuchBucket'],
  ])('refuses %s', async (what, args, message) => {
    using folder = makeFolder();
    if (!what.includes('without files')) folder.write('accounts.csv', 'id,name\n1,A\n');
    const { code, out, err } = await load([folder.path, ...args]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect([...server.objects.keys()]).toEqual([]);
  });
});
