import { beforeAll, expect, test, vi } from 'vitest';
import { type Bucket, openBucket } from '../../shared/ingest/bucket.ts';
import { waitForReport } from '../../shared/ingest/wait-for-report.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';

const server = useObjectServer();
let bucket: Bucket;
beforeAll(() => {
  bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
});

const ARRIVAL = { etag: 'e', sequencer: '1' };
const REPORT = {
  id: 'mine',
  arrival: ARRIVAL,
  startedAt: '2026-03-01T00:00:00.000Z',
  endedAt: '2026-03-01T00:00:10.000Z',
  problems: [],
  problemCount: 0,
  warnings: [],
  listings: [],
  facts: [],
  changes: [],
};
const PROGRESS = { id: 'mine', arrival: ARRIVAL, stage: 'check', done: 1, total: 2, rows: 0 };
const LOADED = { ...REPORT, outcome: 'loaded', endedAt: '2026-03-01T00:02:00.000Z' };

const write = (name: string, content: object) =>
  void server.objects.set(`f/${name}`, Buffer.from(JSON.stringify(content)));

/** Waits for the load `mine`, and polls every 5 ms. @returns the outcome, the notes and the stages that were reported */
async function wait(
  limits: Parameters<typeof waitForReport>[0]['limits'],
  onNote: (text: string) => void = () => undefined,
  onProgress: () => void = () => undefined,
) {
  const notes: string[] = [];
  const stages: string[] = [];
  const report = await waitForReport({
    bucket,
    prefix: 'f/',
    id: 'mine',
    signal: new AbortController().signal,
    onProgress: ({ stage }) => {
      stages.push(stage);
      onProgress();
    },
    onNote: (text) => {
      notes.push(text);
      onNote(text);
    },
    limits: { pollMs: 5, ...limits },
  });
  return { outcome: report.outcome, notes, stages };
}

test('that a folder waits for others is reported once, and then its report is returned', async () => {
  write('_REPORT.json', { ...LOADED, id: 'an earlier load' });
  const result = await wait({ queuedMs: 0 }, () => {
    let polls = 0;
    server.intercept = ({ key }) => {
      if (key === 'f/_REPORT.json' && ++polls === 5) write('_REPORT.json', LOADED);
      return undefined;
    };
  });
  expect(result).toEqual({
    outcome: 'loaded',
    notes: [
      'waiting for other folders: the stack loads them one at a time, in the order of their arrival; if it does not begin, check whether folders is the bucket of the stack; in the first five minutes after the first deployment, S3 reports no folders: run the command again then',
    ],
    stages: [],
  });
});

test('an attempt that failed is reported, and the report of the next attempt is returned', async () => {
  write('_REPORT.json', { ...REPORT, outcome: 'failed', reason: 'The network failed.', retryInSeconds: 60 });
  const result = await wait(
    {},
    () => write('_PROGRESS.json', { ...PROGRESS, at: '2026-03-01T00:01:30.000Z' }),
    () => write('_REPORT.json', LOADED),
  );
  expect(result).toEqual({
    outcome: 'loaded',
    notes: ['an attempt has failed: The network failed.'],
    stages: ['check'],
  });
});

test('the report of the last attempt is returned, although it failed', async () => {
  write('_REPORT.json', { ...REPORT, outcome: 'failed', reason: 'The network failed.' });
  expect(await wait({})).toEqual({ outcome: 'failed', notes: [], stages: [] });
});

test('a load that makes no progress is an error that says what to check', async () => {
  write('_PROGRESS.json', { ...PROGRESS, at: 'now' });
  await expect(wait({ maxSilentMs: 0 })).rejects.toThrow(/^the load has made no progress for 0 minutes: check the log/);
});

/** The command waited for ever for a folder whose event S3 had not raised. */
test('a load that does not begin within half an hour is an error that says that nothing is lost', async () => {
  const now = vi.spyOn(performance, 'now');
  const waitFor = (minutes: number) => {
    now.mockReset();
    const start = performance.now();
    server.intercept = () => void now.mockImplementation(() => start + minutes * 60_000);
    return wait({}, () => write('_REPORT.json', LOADED));
  };
  try {
    expect(await waitFor(29)).toMatchObject({ outcome: 'loaded' });
    server.objects.clear();
    await expect(waitFor(31)).rejects.toThrow(
      'the load has not begun for 31 minutes: nothing is lost, and the files are in the bucket; if no other folders are being loaded, run the command again, which sends only what is missing',
    );
  } finally {
    now.mockRestore();
  }
});

test('a load may be silent for as long as a function runs, and until its folder is delivered again after a crash', async () => {
  const now = vi.spyOn(performance, 'now');
  const silentFor = (minutes: number) => {
    write('_REPORT.json', { ...REPORT, outcome: 'failed', reason: 'The network failed.', retryInSeconds: 60 });
    return wait({}, () => {
      const start = performance.now();
      now.mockImplementation(() => start + minutes * 60_000);
      write('_REPORT.json', LOADED);
    });
  };
  try {
    expect(await silentFor(29)).toMatchObject({ outcome: 'loaded' });
    now.mockReset();
    await expect(silentFor(31)).rejects.toThrow('the load has made no progress for 31 minutes');
  } finally {
    now.mockRestore();
  }
});

test('why a load waits is a note, not progress', async () => {
  write('_REPORT.json', { ...LOADED, id: 'an earlier load' });
  const waitsFor = 'waiting for another load: the load of x';
  write('_PROGRESS.json', {
    ...PROGRESS,
    at: '2026-03-01T00:00:01.000Z',
    stage: 'verify',
    done: 0,
    total: 0,
    waitsFor,
  });
  const result = await wait({}, () => write('_REPORT.json', LOADED));
  expect(result).toEqual({ outcome: 'loaded', notes: [waitsFor], stages: [] });
});
