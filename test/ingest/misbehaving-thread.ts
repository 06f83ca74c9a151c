import { parentPort } from 'node:worker_threads';
import type { LoaderJob, LoaderMessage, LoaderResult } from '../../shared/ingest/loader-thread.ts';
import { makeTemporaryDirectory } from '../../shared/load/temporary-directory.ts';

const post = (message: LoaderMessage) => parentPort?.postMessage(message);
const result: LoaderResult = { outcome: 'loaded', readUnits: 1, writeUnits: 2, calls: 3 };

/** What the thread does with a job, by its prefix. */
const BEHAVIOURS: Readonly<Record<string, () => void>> = {
  'fills the memory/': () => {
    const held: object[][] = [];
    for (;;) held.push(Array.from({ length: 10_000 }, (_, i) => ({ i })));
  },
  'hangs/': () => {
    for (;;);
  },
  'is late/': () => void setInterval(() => post({ kind: 'alive' }), 10),
  'ends/': () => process.exit(1),
  'throws/': () => {
    throw new Error('thrown by the thread');
  },
  'fails/': () => post({ kind: 'failed', error: new TypeError('failed in the thread') }),
  'loads/': () => post({ kind: 'ended', result }),
  'hangs after the check/': () => {
    post({ kind: 'reading', file: undefined });
    for (;;);
  },
};

parentPort?.on('message', async ({ prefix }: LoaderJob) => {
  post({ kind: 'reading', file: 'facts/pla/delivery.parquet' });
  if (prefix !== 'loads/') await makeTemporaryDirectory();
  setImmediate(() => BEHAVIOURS[prefix]?.());
});
