import { describe, expect, test } from 'vitest';
import type { IngestOptions } from '../../shared/ingest/ingest-folder.ts';
import { IngestProgress, IngestReport, parseFile } from '../../shared/ingest/report-file.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import { EXPECTED } from '../load/expected-world.ts';
import { folderOf, makeFolder } from '../load/folder.ts';
import { FACTS, NETWORK } from '../load/network-rows.ts';
import { parquetFolderOf } from '../load/parquet-folder.ts';
import { readWorld } from '../load/read-world.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { putFiles, putReady } from './drop-folder.ts';
import { type Arrived, ingestInto } from './ingest-into.ts';
import { useObjectServer } from './object-server.ts';

const server = useObjectServer();
const made = useTablePerTest();

const ingest = (event: Arrived, more?: Partial<IngestOptions>) => ingestInto(made.table, server, event, more);

function reportOf(prefix: string): IngestReport {
  return IngestReport.parse(JSON.parse(String(server.objects.get(`${prefix}_REPORT.json`))));
}

/** @returns the report without its times */
function told(prefix: string): object {
  const { startedAt, endedAt, ...rest } = reportOf(prefix);
  expect(Date.parse(startedAt)).toBeLessThanOrEqual(Date.parse(endedAt));
  return rest;
}

const NOTHING = { warnings: [], listings: [], facts: [], emptied: [] };

describe('a folder', () => {
  test.each(['csv.gz', 'ndjson'])(
    'of %s is loaded as the command line loads it, and reported beside its files',
    async (format) => {
      using folder = folderOf({ ...NETWORK, ...FACTS }, format);
      const event = putReady(server, '2026-03/', { id: 'first', ...putFiles(server, folder.path, '2026-03/') });
      expect(await ingest(event)).toBe('loaded');
      expect(await readWorld(made.table)).toEqual(EXPECTED);
      expect(told('2026-03/')).toMatchObject({
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
    },
  );

  test('of Parquet, too, which is read in ranges', async () => {
    using folder = await parquetFolderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, '', putFiles(server, folder.path, ''));
    expect(await ingest(event)).toBe('loaded');
    expect(await readWorld(made.table)).toEqual(EXPECTED);
  });

  test('with days to be emptied is reported with how many there were', async () => {
    using before = folderOf({ ...NETWORK, ...FACTS });
    await ingest(putReady(server, 'before/', putFiles(server, before.path, 'before/')));
    using folder = folderOf({ deletions: [{ experience: 'pla', table: 'delivery', day: '2026-03-02' }] });
    expect(await ingest(putReady(server, 'f/', putFiles(server, folder.path, 'f/')))).toBe('loaded');
    const emptied = [{ experience: 'pla', table: 'delivery', days: 2 }];
    expect(told('f/')).toMatchObject({ listings: [], facts: [], emptied });
    const { emptied: _emptied, ...older } = reportOf('f/');
    expect(parseFile(IngestReport, JSON.stringify(older))).toEqual({ ...older, emptied: [] }); // as older stacks write it
  });

  test('is read no further than its _READY names', async () => {
    using folder = folderOf(NETWORK);
    const ready = putFiles(server, folder.path, 'f/');
    server.objects.set('f/facts/pla/delivery.csv', Buffer.from('not\nto,be\nread'));
    expect(await ingest(putReady(server, 'f/', ready))).toBe('loaded');
    expect(server.requests.filter((it) => it.includes('delivery'))).toEqual([]);
  });
});

describe('the same', () => {
  test('event twice changes nothing, not even the report', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    expect(await ingest(event)).toBe('loaded');
    const [content, report] = [await made.content(), server.objects.get('f/_REPORT.json')];
    expect(await ingest(event)).toBe('repeated');
    expect(await made.content()).toEqual(content);
    expect(server.objects.get('f/_REPORT.json')).toBe(report);
  });

  test('event twice at once is loaded once', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const outcomes = await Promise.all([ingest(event), ingest(event)]);
    expect(outcomes.sort()).toEqual(['loaded', 'unchanged']);
    expect((await readCommit(made.table)).commit).toBe(1);
    expect(await readWorld(made.table)).toEqual(EXPECTED);
  });

  test('folder again changes nothing, and says so', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const ready = putFiles(server, folder.path, 'f/');
    expect(await ingest(putReady(server, 'f/', ready))).toBe('loaded');
    const again = putReady(server, 'f/', ready);
    expect(await ingest(again)).toBe('unchanged');
    expect((await readCommit(made.table)).commit).toBe(1);
    expect(told('f/')).toMatchObject({ outcome: 'unchanged', arrival: again.arrival });
  });

  test('folder with a newer _READY is left to the newer event', async () => {
    using folder = folderOf(NETWORK);
    const ready = putFiles(server, folder.path, 'f/');
    const older = putReady(server, 'f/', { id: 'older', ...ready });
    putReady(server, 'f/', { id: 'newer', ...ready });
    expect(await ingest(older)).toBe('superseded');
    expect(server.objects.has('f/_REPORT.json')).toBe(false);
  });

  test('event for a _READY that was deleted does nothing', async () => {
    expect(await ingest({ prefix: 'f/', arrival: { etag: 'x', sequencer: '1' } })).toBe('superseded');
    expect([...server.objects]).toEqual([]);
  });
});

describe('nothing is loaded, and the report says why, when', () => {
  test('files are missing, of another size or of another content', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const ready = putFiles(server, folder.path, 'f/');
    server.objects.delete('f/accounts.ndjson');
    server.objects.set('f/users.ndjson', Buffer.from('{}'));
    const contacts = String(server.objects.get('f/contacts.ndjson'));
    server.objects.set('f/contacts.ndjson', Buffer.from(contacts.replace('a', 'b')));
    const event = putReady(server, 'f/', ready);
    expect(await ingest(event)).toBe('rejected');
    const bytesOf = (name: string) => ready.files.find((it) => it.name === name)?.bytes;
    expect(told('f/')).toEqual({
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
          reason: expect.stringMatching(/^has the SHA-256 [0-9a-f]{64}, not that which _READY says$/),
        },
        {
          file: 'users.ndjson',
          line: null,
          field: null,
          reason: `has 2 bytes, not the ${bytesOf('users.ndjson')} that _READY says`,
        },
      ],
    });
    expect(await made.content()).toEqual([]);
  });

  test('_READY itself is wrong', async () => {
    const event = putReady(server, 'f/', { files: 'all of them' });
    expect(await ingest(event)).toBe('rejected');
    expect(told('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'rejected',
      problemCount: 1,
      problems: [{ file: '_READY', line: null, field: 'files', reason: 'must be a list' }],
    });
  });

  test('a row is wrong: with its file, line, field and reason', async () => {
    using folder = makeFolder();
    folder.write('accounts.csv', 'id,name\nx,A\n');
    const event = putReady(server, 'f/', { id: '7', ...putFiles(server, folder.path, 'f/') });
    expect(await ingest(event)).toBe('rejected');
    expect(told('f/')).toEqual({
      ...NOTHING,
      id: '7',
      arrival: event.arrival,
      outcome: 'rejected',
      problemCount: 1,
      problems: [{ file: 'accounts.csv', line: 2, field: 'id', reason: 'must be an integer ≥ 1, not "x"' }],
    });
  });

  test.each(['ndjson', 'csv.gz', 'parquet'])(
    'a file (%s) is written again between its verification and its reading',
    async (format) => {
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
      const reason = 'was written again or deleted while it was read; write _READY last';
      expect(told('f/')).toMatchObject({ problems: [{ file: name, line: null, field: null, reason }] });
      expect((await readCommit(made.table)).commit).toBe(0);
    },
  );

  test('its time is over: what was written is removed, and the report says what to do', async () => {
    using folder = folderOf({ ...NETWORK, ...FACTS });
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const overdue = new AbortController();
    let reads = 0;
    server.intercept = ({ method, key }) => {
      if (method === 'GET' && key.includes('delivery') && ++reads === 3) overdue.abort(new Error('Load it in parts.'));
      return undefined;
    };
    expect(await ingest(event, { signal: overdue.signal })).toBe('abandoned');
    expect(told('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'abandoned',
      reason: 'Load it in parts',
      problems: [],
      problemCount: 0,
    });
    expect(await made.content()).toEqual([]);
    server.intercept = () => undefined;
    expect(await ingest(putReady(server, 'f/', putFiles(server, folder.path, 'f/')))).toBe('loaded');
  });

  test('another load goes on until its time is over: that is thrown, reported, and tried again by the next event', async () => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    const other = await beginCommit(made.table, { owner: 'the load of Ann' });
    const overdue = new AbortController();
    setTimeout(() => overdue.abort(new Error('It was given up.')), 1_500);
    await expect(ingest(event, { signal: overdue.signal, removeMs: 500 })).rejects.toThrow('there was another load');
    await other.abandon();
    expect(told('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'failed',
      reason:
        'The time of the function was not enough, since there was another load (waiting for another load: the load of Ann). The folder is loaded whole or not at all; it is tried again twice, some minutes later.',
      problems: [],
      problemCount: 0,
    });
    expect(await ingest(event)).toBe('loaded');
  });

  test('the report cannot be written: that is thrown, and the next try finds all of it loaded', async () => {
    using folder = folderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    server.intercept = ({ method, key }) =>
      method === 'PUT' && key === 'f/_REPORT.json' ? { status: 403 } : undefined;
    await expect(ingest(event)).rejects.toThrow();
    expect((await readCommit(made.table)).commit).toBe(1);
    server.intercept = () => undefined;
    expect(await ingest(event)).toBe('unchanged');
    expect(reportOf('f/').outcome).toBe('unchanged');
  });

  test('the network breaks off for good: that is thrown, reported, and tried again by the next event', async () => {
    using folder = await parquetFolderOf(NETWORK);
    const event = putReady(server, 'f/', putFiles(server, folder.path, 'f/'));
    let verified = false;
    server.intercept = ({ method, key }) => {
      if (method !== 'GET' || key !== 'f/users.parquet') return undefined;
      if (verified) return { cut: 1 };
      verified = true;
      return undefined;
    };
    await expect(ingest(event)).rejects.toThrow('f/users.parquet of the bucket folders cannot be read');
    expect(told('f/')).toEqual({
      ...NOTHING,
      arrival: event.arrival,
      outcome: 'failed',
      reason:
        'f/users.parquet of the bucket folders cannot be read. The folder is loaded whole or not at all; it is tried again twice, some minutes later.',
      problems: [],
      problemCount: 0,
    });
    server.intercept = () => undefined;
    expect(await ingest(event)).toBe('loaded');
  }, 30_000);
});
