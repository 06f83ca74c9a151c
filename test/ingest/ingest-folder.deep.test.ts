import { describe, expect, test } from 'vitest';
import type { IngestOptions } from '../../shared/ingest/load-sent-folder.ts';
import type { ReadyEvent } from '../../shared/ingest/ready-event.ts';
import { IngestProgress } from '../../shared/ingest/report-file.ts';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import { folderOf, makeFolder } from '../load/support/folder.ts';
import { EXPECTED, FACTS, NETWORK } from '../load/support/network-rows.ts';
import { parquetFolderOf } from '../load/support/parquet-folder.ts';
import { readStoredNetwork } from '../load/support/read-stored-network.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { ingestInto, putFiles, putMarker, putReady, reportIn } from './support/put-folder.ts';

const server = useObjectServer();
const made = useTablePerTest();

const ingest = (event: ReadyEvent, overrides?: Partial<IngestOptions>) =>
  ingestInto(made.table, server, event, overrides);

const reportOf = (prefix: string) => reportIn(server, prefix);

/** @returns the report without its times */
function reportWithoutTimes(prefix: string): object {
  const { startedAt, endedAt, ...rest } = reportOf(prefix);
  expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.parse(endedAt));
  return rest;
}

const NOTHING = { warnings: [], listings: [], facts: [], changes: [] };

describe('a folder', () => {
  test('is loaded as from the command line, with a report beside its files', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS }, 'csv.gz');
    const event = putReady(server, '2026-03/', { id: 'first', ...putFiles(server, folder.path, '2026-03/') });
    expect(await ingest(event)).toBe('loaded');
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);
    expect(reportWithoutTimes('2026-03/')).toMatchObject({
      id: 'first',
      arrival: event.arrival,
      outcome: 'loaded',
      problems: [],
      problemCount: 0,
      facts: [
        { experience: 'carousel', table: 'delivery', rows: 1, days: 1 },
        { experience: 'pla', table: 'activity', rows: 2, days: 1 },
        { experience: 'pla', table: 'conversions', rows: 1, days: 1 },
        { experience: 'pla', table: 'delivery', rows: 5, days: 3 },
        { experience: 'pla', table: 'market', rows: 2, days: 2 },
      ],
    });
    const progress = IngestProgress.parse(JSON.parse(String(server.objects.get('2026-03/_PROGRESS.json'))));
    expect(progress).toMatchObject({ id: 'first', arrival: event.arrival });
  });

  test.each([
    ['an empty _READY', '_READY', ''],
    ['a _READY without a list', '_READY', '{"replace":"days"}'],
    ['the _SUCCESS of Spark', '_SUCCESS', ''],
    ['the _SUCCESS of a committer, which has content', '_SUCCESS', '{"name":"manifest"}'],
  ] as const)('with %s is all that lies below its prefix', async (_, marker, text) => {
    using folder = folderOf({ ...NETWORK, ...FACTS }, 'csv');
    putFiles(server, folder.path, '2026-03/');
    expect(await ingest(putMarker(server, '2026-03/', marker, text))).toBe('loaded');
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);
  });

  test.each([
    ['facts/pla/', 'facts/pla/'],
    ['experience=pla/facts/', 'facts/pla/'],
  ])(
    'is found above %s if Spark marks one of its datasets, of which alone the files are loaded',
    async (path, from) => {
      using network = folderOf(NETWORK, 'csv');
      await ingest(putReady(server, 'network/', putFiles(server, network.path, 'network/')));
      using folder = folderOf(FACTS, 'csv');
      putFiles(server, folder.path, '2026-03/');
      for (const [key, bytes] of [...server.objects])
        if (key.startsWith(`2026-03/${from}`)) server.objects.set(key.replace(from, path), bytes);
      const prefix = `2026-03/${path}`;
      expect(await ingest(putMarker(server, prefix, '_SUCCESS', ''))).toBe('loaded');
      expect(new Set(reportOf(prefix).facts.map(({ experience }) => experience))).toEqual(new Set(['pla']));
    },
  );

  test('is found above the folder of a listing that Spark marks, with the names of its columns', async () => {
    server.objects.set('2026-03/accounts/part-00000.csv', Buffer.from('id,title\n1,Acme\n'));
    server.objects.set('2026-03/columns.json', Buffer.from('{"accounts": {"title": "name"}}'));
    expect(await ingest(putMarker(server, '2026-03/accounts/', '_SUCCESS', ''))).toBe('loaded');
    expect(reportOf('2026-03/accounts/').listings).toMatchObject([{ listing: 'accounts', rows: 1 }]);
  });

  test('whose own prefix contains facts/ is what lies below its _READY', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS }, 'csv');
    const prefix = 'facts/2026-03/';
    putFiles(server, folder.path, prefix);
    expect(await ingest(putMarker(server, prefix, '_READY', ''))).toBe('loaded');
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);
  });

  test('of Parquet is loaded as well', async () => {
    using folder = await parquetFolderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, '', putFiles(server, folder.path, ''));
    expect(await ingest(event)).toBe('loaded');
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);
  });

  test.each([
    ['users.csv', 'f/', '_READY', 'users.csv'],
    ['users.patch.ndjson.gz', 'f/', '_READY', 'users.patch.ndjson.gz'],
    ['users/part-00000.parquet', 'f/', '_READY', 'users/'],
    ['users/part-00000.csv', 'f/users/', '_SUCCESS', 'users/'],
    ['users/region=1/part-0.csv', 'f/', '_READY', 'users/'],
    ['users.csv', 'f/with-users/', '_READY', 'users.csv'],
  ] as const)('with %s below %s, where others may write, is rejected', async (name, prefix, marker, file) => {
    const user = 'userId,name,userType,accountIds\nmallory,Mallory,AGENCY,*\n';
    const reason = expect.stringContaining(
      'below with-users/ only, where the roles of the setting userUploaders may write',
    );
    const folder = marker === '_SUCCESS' ? prefix.replace(/[^/]+\/$/, '') : prefix;
    server.objects.set(`${folder}${name}`, Buffer.from(user));
    const only = { usersPrefix: 'with-users/' };
    expect(await ingest(putMarker(server, prefix, marker, ''), only)).toBe('rejected');
    expect(reportOf(prefix).problems).toEqual([{ file, line: null, field: null, reason }]);
    expect(await readAudit(made.table, Date.now() - 600_000, Date.now())).toMatchObject([
      {
        ...{ actor: 'the ingestion of the stack', action: 'load rejected', subject: `s3://${BUCKET}/${prefix}` },
        details: { problems: 1, first: file },
      },
    ]);
    expect(await made.content()).toHaveLength(1);
  });

  test('with users is loaded below with-users/', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS }, 'csv');
    const only = { usersPrefix: 'with-users/' };
    const prefix = 'with-users/2026-03/';
    expect(await ingest(putReady(server, prefix, putFiles(server, folder.path, prefix)), only)).toBe('loaded');
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);
  });

  test('with a deletions file and a patch is reported with the numbers of emptied days and changed rows', async () => {
    using before = folderOf({ ...NETWORK, ...FACTS });
    await ingest(putReady(server, 'before/', putFiles(server, before.path, 'before/')));
    const day = { experience: 'pla', table: 'delivery', day: '2026-03-02' };
    using folder = folderOf({ deletions: [day], 'users.patch': [{ userId: 'u-cpg', deleted: true }] });
    expect(await ingest(putReady(server, 'f/', putFiles(server, folder.path, 'f/')))).toBe('loaded');
    const changes = [{ experience: 'pla', table: 'delivery', days: { emptied: 2 } }]; // one day of two advertisers
    const patch = { added: 0, replaced: 0, removed: 1 };
    const listings = [{ listing: 'users', rows: 1, outcome: 'written', changes: patch }];
    expect(reportWithoutTimes('f/')).toMatchObject({ listings, facts: [], changes });
  });

  test('replaces what its _READY says', async () => {
    using before = folderOf({ ...NETWORK, ...FACTS });
    await ingest(putReady(server, 'before/', putFiles(server, before.path, 'before/')));
    using folder = folderOf({
      'facts/pla/delivery': [{ daily_date: '2026-03-02', hour: 1, ad_group_id: 1000, impressions: 1 }],
    });
    expect(await ingest(putReady(server, 'f/', { replace: 'days', ...putFiles(server, folder.path, 'f/') }))).toBe(
      'loaded',
    );
    expect(reportOf('f/')).toMatchObject({ changes: [{ experience: 'pla', table: 'delivery', days: { emptied: 1 } }] });
  });

  test('is only checked if its _READY says so', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    expect(await ingest(putReady(server, 'f/', { check: true, ...putFiles(server, folder.path, 'f/') }))).toBe(
      'checked',
    );
    expect(reportOf('f/').changes.map(({ days }) => days.added)).toEqual([3, 1, 1, 2, 1]);
    expect((await readCommit(made.table)).commit).toBe(0);
  });

  test('is read without the files that its _READY does not list', async () => {
    using folder = folderOf(NETWORK);
    const ready = putFiles(server, folder.path, 'f/');
    server.objects.set('f/facts/pla/delivery.csv', Buffer.from('not\nto,be\nread'));
    expect(await ingest(putReady(server, 'f/', ready))).toBe('loaded');
    expect(server.requests.filter((request) => request.includes('delivery'))).toEqual([]);
  });
});

describe('an arrival', () => {
  test('whose event is delivered twice changes nothing, not even the report', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    expect(await ingest(event)).toBe('loaded');
    const [content, report] = [await made.content(), server.objects.get('f/_REPORT.json')];
    expect(await ingest(event)).toBe('repeated');
    expect(await made.content()).toEqual(content);
    expect(server.objects.get('f/_REPORT.json')).toBe(report);
  });

  test('whose event is delivered twice concurrently is loaded once', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const outcomes = await Promise.all([ingest(event), ingest(event)]);
    expect(outcomes.sort()).toEqual(['loaded', 'unchanged']);
    expect((await readCommit(made.table)).commit).toBe(1);
    expect(await readStoredNetwork(made.table)).toEqual(EXPECTED);
  });

  test('of an unchanged folder changes nothing and is reported as unchanged', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const ready = putFiles(server, folder.path, 'f/');
    expect(await ingest(putReady(server, 'f/', ready))).toBe('loaded');
    const again = putReady(server, 'f/', ready);
    expect(await ingest(again)).toBe('unchanged');
    expect((await readCommit(made.table)).commit).toBe(1);
    expect(reportWithoutTimes('f/')).toMatchObject({ outcome: 'unchanged', arrival: again.arrival });
  });

  test('that is followed by a newer _READY is left to the newer event', async () => {
    using folder = folderOf(NETWORK);
    const ready = putFiles(server, folder.path, 'f/');
    const older = putReady(server, 'f/', { id: 'older', ...ready });
    putReady(server, 'f/', { id: 'newer', ...ready });
    expect(await ingest(older)).toBe('superseded');
    expect(server.objects.has('f/_REPORT.json')).toBe(false);
  });

  test('of a _READY that was deleted does nothing', async () => {
    expect(await ingest({ prefix: 'f/', marker: '_READY', arrival: { etag: 'x', sequencer: '1' } })).toBe('superseded');
    expect([...server.objects]).toEqual([]);
  });
});

describe('nothing is loaded, and the report says why, if', () => {
  test('files are missing or differ from _READY in size or content', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const ready = putFiles(server, folder.path, 'f/');
    server.objects.delete('f/accounts.ndjson');
    server.objects.set('f/users.ndjson', Buffer.from('{}'));
    const contacts = String(server.objects.get('f/contacts.ndjson'));
    server.objects.set('f/contacts.ndjson', Buffer.from(contacts.replace('a', 'b')));
    const event = putReady(server, 'f/', ready);
    expect(await ingest(event)).toBe('rejected');
    const bytesOf = (name: string) => ready.files.find((file) => file.name === name)?.bytes;
    expect(reportWithoutTimes('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'rejected',
      problemCount: 3,
      problems: [
        { file: 'accounts.ndjson', line: null, field: null, reason: 'is not in the bucket' },
        {
          file: 'contacts.ndjson',
          line: null,
          field: null,
          reason: expect.stringMatching(/^has the SHA-256 [0-9a-f]{64}, but _READY lists another$/),
        },
        {
          file: 'users.ndjson',
          line: null,
          field: null,
          reason: `has 2 bytes, but _READY lists ${bytesOf('users.ndjson')}`,
        },
      ],
    });
    expect((await made.content()).map(({ action }) => action)).toEqual(['load rejected']);
  });

  test('_READY is invalid', async () => {
    const event = putReady(server, 'f/', { files: 'all of them' });
    expect(await ingest(event)).toBe('rejected');
    expect(reportWithoutTimes('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'rejected',
      problemCount: 1,
      problems: [{ file: '_READY', line: null, field: 'files', reason: 'must be a list' }],
    });
    expect((await made.content()).map(({ action }) => action)).toEqual(['load rejected']);
  });

  test('a row is invalid: with its file, line, field and reason', async () => {
    using folder = makeFolder();
    folder.write('accounts.csv', 'id,name\n0,A\n');
    const event = putReady(server, 'f/', { id: '7', ...putFiles(server, folder.path, 'f/') });
    expect(await ingest(event)).toBe('rejected');
    expect(reportWithoutTimes('f/')).toEqual({
      ...NOTHING,
      id: '7',
      arrival: event.arrival,
      outcome: 'rejected',
      problemCount: 1,
      problems: [{ file: 'accounts.csv', line: 2, field: 'id', reason: 'must be an integer ≥ 1, not "0"' }],
    });
    expect((await made.content()).map(({ action }) => action)).toEqual(['load rejected']);
  });

  test.each(['csv.gz', 'parquet'])('a file (%s) is changed after its verification', async (format) => {
    using folder = format === 'parquet' ? await parquetFolderOf(NETWORK) : folderOf(NETWORK, format);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const name = `users.${format}`;
    let verified = false;
    server.intercept = ({ method, key }) => {
      if (method === 'GET' && key === `f/${name}`) {
        if (verified) server.objects.set(key, Buffer.from('something else'));
        verified = true;
      }
      return undefined;
    };
    expect(await ingest(event)).toBe('rejected');
    const reason = 'was changed or deleted while it was being read; write _READY last';
    expect(reportWithoutTimes('f/')).toMatchObject({ problems: [{ file: name, line: null, field: null, reason }] });
    expect((await readCommit(made.table)).commit).toBe(0);
  });

  test('the time limit is exceeded while the load writes: nothing of it stays, the report says what to do, and a new arrival is loaded', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const deadline = new AbortController();
    const onReading = (file: string | undefined) => {
      if (file === undefined) deadline.abort(new Error('Load it in parts.')); // all files are checked, and listings are being written
    };
    expect(await ingest(event, { signal: deadline.signal, undoMs: 200_000, onReading })).toBe('abandoned');
    expect(reportWithoutTimes('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'abandoned',
      reason: 'Load it in parts',
      problems: [],
      problemCount: 0,
    });
    expect((await made.content()).filter(({ pk }) => pk !== 'COMMIT')).toEqual([]);
    expect((await readCommit(made.table)).commit).toBe(0);
    expect(await ingest(putReady(server, 'f/', putFiles(server, folder.path, 'f/')))).toBe('loaded');
  });

  test('another load is in progress until the time limit: the error is thrown, and a retry loads the folder', async () => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const other = await beginCommit(made.table, { owner: 'the load of Ann' });
    const deadline = new AbortController();
    const reading: (string | undefined)[] = [];
    const onReading = (file: string | undefined) => {
      reading.push(file);
      if (file === undefined) deadline.abort(new Error('The deadline was exceeded.')); // all files are checked, and the wait begins
    };
    await expect(ingest(event, { signal: deadline.signal, undoMs: 500, onReading })).rejects.toThrow(
      'ran out of time because of another load',
    );
    expect(reading.at(-1)).toBeUndefined(); // no file is to blame if the function ends now
    expect(reading.length).toBeGreaterThan(1);
    await other.abandon();
    expect(reportWithoutTimes('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'failed',
      reason:
        'The function ran out of time because of another load (waiting for another load: the load of Ann). The folder is loaded as a whole or not at all; this was the last attempt.',
      problems: [],
      problemCount: 0,
    });
    expect(await ingest(event)).toBe('loaded');
  });

  test('the network fails: the error is thrown, and a retry loads the folder', async () => {
    using folder = await parquetFolderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    let verified = false;
    server.intercept = ({ method, key }) => {
      if (method !== 'GET' || key !== 'f/users.parquet') return undefined;
      if (verified) return { cut: 0 };
      verified = true;
      return undefined;
    };
    await expect(ingest(event)).rejects.toThrow('f/users.parquet in the bucket folders cannot be read');
    expect(reportWithoutTimes('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'failed',
      reason:
        'f/users.parquet in the bucket folders cannot be read. The folder is loaded as a whole or not at all; this was the last attempt.',
      problems: [],
      problemCount: 0,
    });
    server.intercept = () => undefined;
    expect(await ingest(event)).toBe('loaded');
  });
});

test('if the report cannot be written, the error is thrown, and the retry finds the folder loaded', async () => {
  using folder = folderOf(NETWORK);
  const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
  server.intercept = ({ method, key }) => (method === 'PUT' && key === 'f/_REPORT.json' ? { status: 403 } : undefined);
  await expect(ingest(event)).rejects.toThrow();
  expect((await readCommit(made.table)).commit).toBe(1);
  server.intercept = () => undefined;
  expect(await ingest(event)).toBe('unchanged');
  expect(reportOf('f/').outcome).toBe('unchanged');
});
