import { describe, expect, test } from 'vitest';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ProgressWriter } from '../../shared/ingest/progress-writer.ts';
import { parseReadyEvent } from '../../shared/ingest/ready-event.ts';
import { parseReadyFile } from '../../shared/ingest/ready-file.ts';
import { IngestProgress } from '../../shared/ingest/report-file.ts';
import { folderOf } from '../load/support/folder.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { ingestInto, putFiles, putReady, reportIn } from './support/put-folder.ts';

const SHA = 'a'.repeat(64);
const WRONG_MODE = 'must be one of advertiser-days, days, hours, or days such as 2026-02-01..2026-02-28';
const WRONG_NAME =
  'must be a relative path with / between its parts, none of which begins with . or _, without backslashes and control characters';
const file = (name: unknown, more: object = {}) => ({ name, bytes: 1, sha256: SHA, ...more });

describe('_READY', () => {
  test('lists files and may have an id', () => {
    const files = [file('accounts.csv'), file('facts/pla/delivery-2026-03.parquet'), file('notes of März.txt')];
    expect(parseReadyFile(JSON.stringify({ id: 'x', files }))).toEqual({ ready: { id: 'x', files } });
    expect(parseReadyFile(JSON.stringify({ files }))).toEqual({ ready: { files } });
    const period = { replace: '2026-02-28..2026-02-28', files };
    expect(parseReadyFile(JSON.stringify(period))).toEqual({ ready: period });
  });

  /** Python writes a name in Latin-1 so; the load was tried five times, and other folders waited eleven minutes. */
  test('has names that are Unicode', () => {
    expect(parseReadyFile(JSON.stringify({ files: [file('delivery-caf\udce9.csv')] }))).toEqual({
      problems: [{ file: '_READY', line: null, field: 'files[0].name', reason: 'has characters that are not Unicode' }],
    });
  });

  test('may begin with a byte order mark, as data files may', () => {
    const files = [file('accounts.csv')];
    expect(parseReadyFile(`\ufeff${JSON.stringify({ files })}`)).toEqual({ ready: { files } });
  });

  test('has limits of texts that count code points, not UTF-16 code units', () => {
    const longest = { id: '😀'.repeat(100), files: [file('\u{1D4B3}'.repeat(800))] };
    expect(parseReadyFile(JSON.stringify(longest))).toEqual({ ready: longest });
    const tooLong = { id: '😀'.repeat(101), files: [file('\u{1D4B3}'.repeat(801))] };
    expect(parseReadyFile(JSON.stringify(tooLong))).toEqual({
      problems: [
        { file: '_READY', line: null, field: 'id', reason: 'must have at most 100 characters' },
        { file: '_READY', line: null, field: 'files[0].name', reason: 'must have at most 800 characters' },
      ],
    });
  });

  /** Zod exceeded the stack, and no report was written in five attempts. */
  test('has at most 1,000 problems', () => {
    const parsed = parseReadyFile(JSON.stringify({ files: Array(200_000).fill(1) }));
    expect(parsed).toEqual({
      problems: Array.from({ length: 1_000 }, (_, i) => ({
        file: '_READY',
        line: null,
        field: `files[${i}]`,
        reason: 'must be an object with name, bytes and sha256',
      })),
    });
  });

  test.each<[string, unknown, string | null, string]>([
    ['a list', [], null, 'must be an object with files, id, replace, check and accept, all optional'],
    ['files that are no list', { files: {} }, 'files', 'must be a list'],
    ['an unknown mode', { replace: 'day' }, 'replace', WRONG_MODE],
    ['a period of an unknown day', { replace: '2026-02-01..2026-02-29' }, 'replace', WRONG_MODE],
    ['a period that ends before it begins', { replace: '2026-02-02..2026-02-01' }, 'replace', WRONG_MODE],
    ['two periods', { replace: '2026-02-01..2026-02-02..2026-02-03' }, 'replace', WRONG_MODE],
    ['an empty list', { files: [] }, 'files', 'must contain at least one file'],
    [
      'an unknown member',
      { files: [file('a.csv')], file: 1 },
      null,
      'must be an object with files, id, replace, check and accept, all optional; not allowed: file',
    ],
    ['an id that is not a string', { id: 1, files: [file('a.csv')] }, 'id', 'must be a string'],
    ['a name that is not a string', { files: [file(1)] }, 'files[0].name', 'must be a string'],
    ['a name that leads out of the folder', { files: [file('../a.csv')] }, 'files[0].name', WRONG_NAME],
    ['a hidden name after a line separator', { files: [file('a\u2028/_x.csv')] }, 'files[0].name', WRONG_NAME],
    [
      'a name that leads out of the folder further on',
      { files: [file('facts/../../a.csv')] },
      'files[0].name',
      WRONG_NAME,
    ],
    ['an absolute path', { files: [file('/a.csv')] }, 'files[0].name', WRONG_NAME],
    ['a folder', { files: [file('facts/')] }, 'files[0].name', WRONG_NAME],
    ['its own name', { files: [file('_READY')] }, 'files[0].name', WRONG_NAME],
    ['a backslash', { files: [file('facts\\a.csv')] }, 'files[0].name', WRONG_NAME],
    ['a fraction of a byte', { files: [file('a.csv', { bytes: 0.5 })] }, 'files[0].bytes', 'must be an integer ≥ 0'],
    ['a negative size', { files: [file('a.csv', { bytes: -1 })] }, 'files[0].bytes', 'must be an integer ≥ 0'],
    [
      'a short SHA-256',
      { files: [file('a.csv', { sha256: 'ab' })] },
      'files[0].sha256',
      'must be 64 hexadecimal digits',
    ],
    [
      'a file with an unknown member',
      { files: [file('a.csv', { md5: 'x' })] },
      'files[0]',
      'must be an object with name, bytes and sha256; not allowed: md5',
    ],
    ['a file twice', { files: [file('a.csv'), file('a.csv')] }, 'files[1].name', 'a.csv is listed more than once'],
  ])('with %s is rejected with the field and the reason', (_, content, field, reason) => {
    expect(parseReadyFile(JSON.stringify(content))).toEqual({
      problems: [{ file: '_READY', line: null, field, reason }],
    });
  });

  test('that is not JSON is rejected', () => {
    expect(parseReadyFile('{')).toEqual({
      problems: [{ file: '_READY', line: null, field: null, reason: 'is not well-formed JSON' }],
    });
  });

  test('is rejected with all its problems', () => {
    const result = parseReadyFile(JSON.stringify({ files: [file('a.csv', { bytes: -1, sha256: '' }), file('')] }));
    expect('problems' in result && result.problems.map((problem) => problem.field)).toEqual([
      'files[0].bytes',
      'files[0].sha256',
      'files[1].name',
    ]);
  });
});

describe('the event', () => {
  const created = (key: string) => ({
    source: 'aws.s3',
    'detail-type': 'Object Created',
    detail: {
      version: '0',
      bucket: { name: 'b' },
      object: { key, size: 5, etag: 'e', sequencer: '00A' },
      reason: 'PutObject',
    },
  });

  test.each([
    ['', '_READY'],
    ['2026-03/', '_READY'],
    ['a/b c/', '_READY'],
    ['2026-03/facts/pla/delivery/', '_SUCCESS'],
  ])('identifies the folder "%s" of %s', (prefix, marker) => {
    expect(parseReadyEvent(created(`${prefix}${marker}`))).toEqual({
      prefix,
      marker,
      arrival: { etag: 'e', sequencer: '00A' },
    });
  });

  test.each(['a/NOT_READY', 'a/_READY.json', 'a/_REPORT.json'])('of %s is rejected', (key) => {
    expect(() => parseReadyEvent(created(key))).toThrow(`${key} is not _READY or _SUCCESS`);
  });

  test('of another kind is rejected', () => {
    expect(() => parseReadyEvent({ Records: [] })).toThrow('"detail"');
  });
});

const server = useObjectServer();
const made = useTablePerTest();

/** Each attempt failed before the load began, so the folder blocked the queue for all of its attempts. */
test.each<[string, Buffer, number | undefined]>([
  ['is larger than the limit for texts', Buffer.alloc((8 << 20) + 1), undefined],
  ['is not JSON', Buffer.from('loaded'), undefined],
  ['may not be read', Buffer.from('{}'), 403],
])(
  'a folder is loaded even if the report that is already in it %s, and the report is replaced',
  async (_, old, status) => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    server.objects.set('f/_REPORT.json', old);
    server.intercept = ({ method, key }) =>
      method === 'GET' && key === 'f/_REPORT.json' && status !== undefined ? { status } : undefined;
    expect(await ingestInto(made.table, server, event)).toBe('loaded');
    expect(reportIn(server, 'f/')).toMatchObject({ arrival: event.arrival, outcome: 'loaded' });
  },
);

const PROGRESS = { stage: 'write facts', done: 1, total: 2, rows: 10 } as const;

test.each([
  ['states the rate to which the table throttles a load', 400],
  ['states no rate if the table does not throttle', undefined],
])('the progress file %s', async (_, throttledTo) => {
  const bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
  const writer = new ProgressWriter(bucket, 'f/', { arrival: { etag: 'e', sequencer: '1' } });
  writer.report({ ...PROGRESS, throttledTo });
  await writer.close();
  const written = IngestProgress.parse(JSON.parse(String(server.objects.get('f/_PROGRESS.json'))));
  expect(written).toMatchObject(PROGRESS);
  expect(written.throttledTo).toBe(throttledTo);
});
