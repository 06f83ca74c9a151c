import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderOf, makeFolder } from '../load/support/folder.ts';
import { EXPECTED, FACTS, NETWORK } from '../load/support/network-rows.ts';
import { readStoredNetwork } from '../load/support/read-stored-network.ts';
import { type OnStderr, runLoad } from '../load/support/run-load.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { ingestInto } from './support/put-folder.ts';

const server = useObjectServer();
const made = useTablePerTest();

/** The ingestions of the running test. */
let ingestions: Promise<unknown>[];

/** Loads every folder whose `_READY` arrives, as the deployed stack does. */
beforeEach(() => {
  ingestions = [];
  server.onCreated = (key, etag) => {
    const prefix = key.replace(/_READY$/, '');
    if (!key.endsWith('/_READY')) return;
    const ingestion = ingestInto(made.table, server, { prefix, marker: '_READY', arrival: { etag, sequencer: '1' } });
    ingestion.catch(() => undefined); // afterEach throws the error
    ingestions.push(ingestion);
  };
});
afterEach(async () => void (await Promise.all(ingestions)));

const load = (args: readonly string[], onStderr?: OnStderr) =>
  runLoad(args, { AWS_ENDPOINT_URL_S3: server.endpoint, DATA_DIR: '/nowhere' }, onStderr);

describe('npm run load -- FOLDER --bucket', () => {
  test('uploads the folder with its _READY, waits for the report, and prints it like a local load; an unchanged folder is not uploaded again', async () => {
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
    const lines = first.out.trimEnd().split('\n');
    const tables = Object.keys(FACTS).length;
    expect(lines).toHaveLength(Object.keys(NETWORK).length + tables + (1 + tables) + 1); // files, table of changes, outcome
    expect([lines[0], lines.at(-1)]).toEqual([
      '  accounts: 2 rows, written (2 added, 0 replaced, 0 removed)',
      'loaded',
    ]);
    expect(lines).toContain('  facts/carousel/delivery: 1 row on 1 advertiser day');
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);

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
    expect([second.code, second.out.split('\n').at(-2)]).toEqual([0, 'unchanged: everything had already been loaded']);
    expect(server.requests.filter((request) => request.startsWith('PUT') && !request.includes('/_'))).toEqual([]);
  });

  test('gives the folder in the bucket the name of the local folder', async () => {
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    const { code } = await load([folder.path, '--bucket', BUCKET]);
    expect(code).toBe(0);
    expect(server.objects.has(`${basename(folder.path)}/accounts.ndjson`)).toBe(true);
  });

  test('prints the problems of the folder and exits with 1', async () => {
    using folder = makeFolder();
    folder.write('accounts.csv', 'id,name\n0,A\n');
    folder.write('notes.md', 'by hand');
    const { code, out, err } = await load([folder.path, '--bucket', BUCKET]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n').slice(-4)).toEqual([
      'warning: notes.md: not a data file, ignored',
      'accounts.csv:2: id must be an integer ≥ 1, not "0"',
      'endcap: 1 problem, nothing was loaded',
      '',
    ]);
  });

  test('prints on Ctrl-C that the load continues, and exits with 130', async () => {
    server.onCreated = () => undefined; // a stack that never loads the folder
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    const { code, err } = await load([folder.path, '--bucket', BUCKET, '--prefix', 'f'], (text, interrupt) => {
      if (text.endsWith('waiting for the report\n')) interrupt();
    });
    expect({ code, last: err.split('\n').at(-2) }).toEqual({
      code: 130,
      last: 'interrupted: the stack still loads the folder, and writes its report to s3://folders/f/_REPORT.json',
    });
  });

  test('prints on Ctrl-C while _READY is sent that the folder may be loaded', async () => {
    using folder = folderOf({ accounts: [{ id: 1, name: 'A' }] });
    const running = Promise.withResolvers<() => void>();
    const interruption = Promise.withResolvers<void>();
    server.intercept = ({ method, key }) => {
      if (method !== 'PUT' || !key.endsWith('_READY')) return undefined;
      void running.promise.then((interrupt) => interrupt());
      return { until: interruption.promise };
    };
    const { code, err } = await load([folder.path, '--bucket', BUCKET, '--prefix', 'f'], (text, interrupt) => {
      running.resolve(interrupt);
      if (text.includes('interrupted: ')) interruption.resolve();
    });
    expect({ code, last: err.split('\n').at(-2) }).toEqual({
      code: 130,
      last: 'interrupted: the stack may load the folder; if it does, it writes its report to s3://folders/f/_REPORT.json',
    });
  });

  test('deletes on Ctrl-C the parts that it has sent, prints that nothing is loaded, and exits with 130', async () => {
    server.intercept = ({ query }) => (query.includes('partNumber=2') ? { stallAfter: 1 << 20 } : undefined);
    using folder = makeFolder();
    folder.write('accounts.csv', Buffer.alloc(20 << 20, 'a'));
    let waiting: ReturnType<typeof setInterval> | undefined;
    const { code, err } = await load([folder.path, '--bucket', BUCKET, '--prefix', 'f'], (_, interrupt) => {
      waiting ??= setInterval(() => {
        if (!server.requests.some((request) => request.includes('partNumber=2'))) return;
        clearInterval(waiting);
        interrupt();
      }, 50);
    });
    expect({ code, last: err.split('\n').at(-2) }).toEqual({
      code: 130,
      last: 'interrupted: nothing is loaded, because the upload is not complete',
    });
    expect(server.requests).toContain('DELETE f/accounts.csv?uploadId'); // a part that was on its way may arrive after it
    expect(server.uploads.openKeys).toEqual([]);
    expect([...server.objects.keys()]).toEqual([]);
  });

  test.each<[string, string[], string]>([
    ['a prefix without a bucket', ['--prefix', 'x'], '--prefix requires --bucket'],
    [
      'a bucket and a table',
      ['--bucket', BUCKET, '--table', 'T'],
      '--bucket cannot be combined with --table, --max-errors, --max-drop, --max-growth: the stack has its own table and limits',
    ],
    ['a bucket that does not exist', ['--bucket', 'other'], 'NoSuchBucket'],
  ])('rejects %s', async (_, args, message) => {
    using folder = makeFolder();
    folder.write('accounts.csv', 'id,name\n1,A\n');
    const { code, out, err } = await load([folder.path, ...args]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
    expect([...server.objects.keys()]).toEqual([]);
  });

  test('rejects a folder without files', async () => {
    using folder = makeFolder();
    const { code, out, err } = await load([folder.path, '--bucket', BUCKET]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('contains no files');
    expect([...server.objects.keys()]).toEqual([]);
  });
});
