import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { reportKilled } from '../../shared/ingest/load-sent-folder.ts';
import { LoaderKilledError, LoaderProcess } from '../../shared/ingest/loader-process.ts';
import { explainMemory } from '../../shared/lib/child-memory.ts';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { useTable } from '../support/use-engine.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { putReady, reportIn } from './support/put-folder.ts';

const server = useObjectServer();
const made = useTable();
const ENTRY = new URL('./support/misbehaving-process.ts', import.meta.url);
const ARRIVAL = { etag: '"e"', sequencer: '1' };
const FILE = 'facts/pla/delivery.parquet';
const FULL = /^needs more memory than [\d,.]+ MB: split it$/;
const ADVICE = 'load the folder in parts, or from a machine without a time limit';
const MINUTES = 60_000;
/** Time in which a process starts, on a busy machine, too; and what `LoaderProcess` reserves for the report. */
const SHORT_MS = 10_000 + 8_000;

afterEach(() => vi.unstubAllEnvs());

/** Loads with a process that behaves as the prefix says, and then a folder that takes 200 MB with the same `LoaderProcess`. @returns the error of the first load */
async function runIn(prefix: string, remainingMs = 15 * MINUTES): Promise<unknown> {
  const temporary = mkdtempSync(join(tmpdir(), 'endcap-loader-'));
  vi.stubEnv('TMPDIR', temporary);
  const residentMb = process.memoryUsage.rss() / 2 ** 20 + 400;
  const loader = new LoaderProcess(ENTRY, { residentMb, heapMb: 64 });
  const run = (job: string, ms: number) =>
    loader.run(
      { prefix: job, marker: '_READY', arrival: ARRIVAL, retryInSeconds: undefined, remainingMs: ms },
      () => undefined,
    );
  const ended = await run(prefix, remainingMs).catch((error: unknown) => error);
  expect(readdirSync(temporary)).toEqual([]);
  expect(await run('takes 200 MB/', 15 * MINUTES)).toMatchObject({ outcome: 'loaded' });
  rmSync(temporary, { recursive: true });
  return ended;
}

/** When a thread loaded, it kept nearly all memory after it was ended, so that the next folders were rejected because of it. */
test.each<readonly [string, Parameters<typeof runIn>[1], string, string | undefined]>([
  ['fills the memory', undefined, expect.stringMatching(FULL), FILE],
  // buffers are outside the heap, and only Linux states how much memory another process has
  ...(process.platform === 'linux'
    ? [['fills the memory with buffers', undefined, expect.stringMatching(FULL), FILE] as const]
    : []),
  [
    'is killed',
    undefined,
    'was read last when the load was killed from outside, perhaps because the memory of the machine was full: load again, or in parts',
    FILE,
  ],
  ['hangs', SHORT_MS, `was read last when the load did not end in time: ${ADVICE}`, FILE],
  ['hangs after the check', SHORT_MS, `did not end in time: ${ADVICE}`, undefined],
])(
  'a process that %s is ended, with the file that was read, and another one loads the next folder',
  async (name, remainingMs, reason, reading) => {
    const error = await runIn(`${name}/`, remainingMs);
    expect(error).toBeInstanceOf(LoaderKilledError);
    expect(error).toMatchObject({ message: reason, reading });
  },
);

test.each([
  ['ends', 'the process of the loader has ended (1)'],
  ['throws', 'the process of the loader has ended (1)'],
  ['fails', 'failed in the process'],
])('the error of a process that %s is thrown, so that the folder is loaded again', async (name, message) => {
  const error = await runIn(`${name}/`);
  expect(error).not.toBeInstanceOf(LoaderKilledError);
  expect(error).toMatchObject({ message });
});

test.each(['ends', 'throws'])('a process that %s after it has loaded is replaced for the next folder', async (what) => {
  const loader = new LoaderProcess(ENTRY, { residentMb: Number.POSITIVE_INFINITY, heapMb: 64 });
  const run = (prefix: string) =>
    loader.run(
      { prefix, marker: '_READY', arrival: ARRIVAL, retryInSeconds: undefined, remainingMs: 15 * MINUTES },
      () => undefined,
    );
  expect(await run(`${what} after it has loaded/`)).toMatchObject({ outcome: 'loaded' });
  // a job that is sent while the process is ending fails, and is repeated by the queue
  const loads = async () => expect(await run('loads/')).toMatchObject({ outcome: 'loaded' });
  await vi.waitFor(loads, { timeout: 2 * MINUTES, interval: 500 });
  await loads();
});

test('the report of a load that was killed rejects the folder with the file that was read last, or says what to do about the folder', async () => {
  const bucket = openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' });
  const { prefix, arrival } = putReady(server, 'killed/', { id: 'night', files: [] });
  const report = (reading?: string) =>
    reportKilled(
      { bucket, table: made.table, prefix, marker: '_READY', arrival },
      '2026-03-01T00:00:00.000Z',
      explainMemory(reading, 2_750),
      reading,
    );
  expect(await report(FILE)).toBe('rejected');
  expect(reportIn(server, prefix)).toMatchObject({
    arrival,
    outcome: 'rejected',
    problems: [{ file: FILE, line: null, field: null, reason: 'needs more memory than 2,750 MB: split it' }],
    problemCount: 1,
  });
  expect(await report()).toBe('abandoned');
  expect(await readAudit(made.table, Date.now() - MINUTES, Date.now())).toMatchObject([
    { action: 'load rejected', subject: `s3://${BUCKET}/killed/`, details: { problems: 1, first: FILE } },
  ]);
  expect(reportIn(server, prefix)).toMatchObject({
    outcome: 'abandoned',
    reason:
      'The load needs more memory than 2,750 MB: load fewer days at a time. Unless npx endcap audit lists it, nothing has changed.',
  });
});
