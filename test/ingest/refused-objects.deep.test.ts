import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Bucket, openBucket } from '../../shared/ingest/bucket.ts';
import { reportKilled } from '../../shared/ingest/load-sent-folder.ts';
import type { ReadyEvent } from '../../shared/ingest/ready-event.ts';
import { folderOf } from '../load/support/folder.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { parquetFolderOf } from '../load/support/parquet-folder.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { BUCKET, type Fault, useObjectServer } from './support/object-server.ts';
import { ingestInto, putFiles, putReady, reportIn } from './support/put-folder.ts';

const server = useObjectServer();
const made = useTablePerTest();
let bucket: Bucket;
beforeAll(() => {
  bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
});

const ingest = (event: ReadyEvent) => ingestInto(made.table, server, event);

/** What S3 responds to a request for an object that this program cannot read. */
const REFUSALS: [string, Fault & { code: string; message: string }, method: 'GET' | 'any'][] = [
  ['is in an archive', { status: 403, code: 'InvalidObjectState', message: 'It is archived' }, 'GET'],
  [
    'is encrypted with a key in KMS that the function may not use',
    { status: 403, code: 'AccessDenied', message: 'Access Denied' },
    'GET',
  ],
  ['is encrypted with a disabled key', { status: 400, code: 'KMS.DisabledException', message: 'k is disabled' }, 'GET'],
  ['is encrypted with a key of its writer', { status: 400, code: 'InvalidRequest', message: 'Send the key' }, 'any'],
];

/** What S3 responds to a function whose role lacks the permission. */
const NO_RIGHT = {
  status: 403,
  code: 'AccessDenied',
  message: 'User: f is not authorized to perform: s3:GetObject on resource: "arn:aws:s3:::folders/f/users.ndjson"',
};

/** Requests for the object fail. */
function refuse(wanted: string, fault: Fault, method: 'GET' | 'any' = 'any'): void {
  server.intercept = (request) =>
    request.key === wanted && (method === 'any' || request.method === method) ? fault : undefined;
}

/** Each attempt failed with an error that named no file, and other folders waited for eleven minutes. */
describe('a folder is rejected at once, with the file and the reason, if', () => {
  test.each(REFUSALS)('a file %s', async (_, fault, method) => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    refuse('f/users.ndjson', fault, method);
    expect(await ingest(event)).toBe('rejected');
    const reason = `cannot be read: S3 does not return it (${fault.code}): ${fault.message}`;
    expect(reportIn(server, 'f/')).toMatchObject({
      arrival: event.arrival,
      problems: [{ file: 'users.ndjson', line: null, field: null, reason }],
      problemCount: 1,
    });
    expect((await made.content()).map(({ action }) => action)).toEqual(['load rejected']);
  });

  test.each(REFUSALS)('its _READY %s', async (_, fault, method) => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    refuse('f/_READY', fault, method);
    expect(await ingest(event)).toBe('rejected');
    const reason = `cannot be read: S3 does not return it (${fault.code}): ${fault.message}`;
    expect(reportIn(server, 'f/')).toMatchObject({
      arrival: event.arrival,
      problems: [{ file: '_READY', line: null, field: null, reason }],
    });
  });

  test('S3 rejects a request for a file after it was verified', async () => {
    using folder = await parquetFolderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    server.intercept = ({ method, key, count }) =>
      method === 'GET' && key === 'f/users.parquet' && count > 1
        ? { status: 403, code: 'AccessDenied', message: 'Access Denied' }
        : undefined;
    expect(await ingest(event)).toBe('rejected');
    expect(reportIn(server, 'f/').problems).toEqual([
      {
        file: 'users.parquet',
        line: null,
        field: null,
        reason: 'cannot be read: S3 does not return it (AccessDenied): Access Denied',
      },
    ]);
  });

  test('its _READY is larger than the limit', async () => {
    const content = Buffer.alloc((8 << 20) + 1, ' ');
    server.objects.set('f/_READY', content);
    const etag = createHash('md5').update(content).digest('hex');
    expect(await ingest({ prefix: 'f/', marker: '_READY', arrival: { etag, sequencer: '1' } })).toBe('rejected');
    expect(reportIn(server, 'f/').problems).toEqual([
      { file: '_READY', line: null, field: null, reason: 'has 8388609 bytes; the limit is 8388608' },
    ]);
  });
});

describe('a request that fails for another reason is an error that names the object and is thrown for a retry:', () => {
  test.each<[string, Fault, string]>([
    ['the role of the function lacks a permission', NO_RIGHT, 'AccessDenied'],
    ['S3 is too busy', { status: 503, code: 'SlowDown' }, 'SlowDown'],
    ['the credentials have expired', { status: 400, code: 'ExpiredToken' }, 'ExpiredToken'],
  ])('%s', async (_, fault, code) => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    refuse('f/users.ndjson', fault, 'GET');
    const message = `f/users.ndjson in the bucket folders cannot be read (${code}): `;
    await expect(ingest(event)).rejects.toThrow(message);
    expect(reportIn(server, 'f/')).toMatchObject({ outcome: 'failed', reason: expect.stringContaining(message) });
    server.intercept = () => undefined;
    expect(await ingest(event)).toBe('loaded');
  });

  test('also where the metadata are requested', async () => {
    server.objects.set('a', Buffer.from('x'));
    refuse('a', { status: 500, code: 'InternalError' });
    await expect(bucket.head('a')).rejects.toThrow('a in the bucket folders cannot be read (');
    refuse('a', NO_RIGHT);
    await expect(bucket.head('a')).rejects.toThrow('a in the bucket folders cannot be read (AccessDenied): User: f');
    expect(server.requests.at(-1)).toBe('GET a');
  });
});

test('a report has the first 1,000 of the problems with files, and their number', async () => {
  const files = Array.from({ length: 1_500 }, (_, at) => ({ name: `${at}.csv`, bytes: 1, sha256: 'a'.repeat(64) }));
  expect(await ingest(putReady(server, 'f/', { files }))).toBe('rejected');
  const { problems, problemCount } = reportIn(server, 'f/');
  expect(problemCount).toBe(1_500);
  expect(problems).toEqual(
    files.slice(0, 1_000).map(({ name: file }) => ({ file, line: null, field: null, reason: 'is not in the bucket' })),
  );
});

test('the report of a load that was killed has no id if its _READY has been replaced', async () => {
  const older = putReady(server, 'f/', { id: 'older', files: [] });
  putReady(server, 'f/', { id: 'newer', files: [{ name: 'a.csv', bytes: 1, sha256: 'a'.repeat(64) }] });
  await reportKilled(
    { bucket, table: made.table, ...older },
    '2026-03-01T00:00:00.000Z',
    'did not respond',
    'users.csv',
  );
  const { id, arrival } = reportIn(server, 'f/');
  expect({ id, arrival }).toEqual({ id: undefined, arrival: older.arrival });
});
