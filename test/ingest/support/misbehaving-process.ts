import type { LoaderJob, LoaderMessage, LoaderResult } from '../../../shared/ingest/loader-process.ts';
import { makeTemporaryDirectory } from '../../../shared/load/temporary-directory.ts';

const post = (message: LoaderMessage) => process.send?.(message);
const result: LoaderResult = { outcome: 'loaded', readUnits: 1, writeUnits: 2, calls: 3 };

/** What the process does with a job, by its prefix. */
const BEHAVIOURS: Readonly<Record<string, () => void>> = {
  'fills the memory/': () => {
    const held: object[][] = [];
    for (;;) held.push(Array.from({ length: 10_000 }, (_, i) => ({ i })));
  },
  'fills the memory with buffers/': () => {
    const held: Uint8Array[] = [];
    const fill = () => {
      held.push(new Uint8Array(2 ** 20).fill(1));
      setImmediate(fill);
    };
    fill();
  },
  'hangs/': () => {
    for (;;);
  },
  'is killed/': () => process.kill(process.pid, 'SIGKILL'),
  'ends/': () => process.exit(1),
  'throws/': () => {
    throw new Error('thrown by the process');
  },
  'fails/': () => post({ kind: 'failed', error: new TypeError('failed in the process') }),
  'loads/': () => post({ kind: 'ended', result }),
  'takes 200 MB/': () => {
    const held = Array.from({ length: 200 }, () => new Uint8Array(2 ** 20).fill(1));
    setTimeout(() => post({ kind: 'ended', result: { ...result, calls: held.length } }), 500);
  },
  'ends after it has loaded/': () => {
    post({ kind: 'ended', result });
    setImmediate(() => process.exit(1));
  },
  'throws after it has loaded/': () => {
    post({ kind: 'ended', result });
    setImmediate(() => {
      throw new Error('thrown after it has loaded');
    });
  },
  'hangs after the check/': () => {
    post({ kind: 'reading', file: undefined });
    for (;;);
  },
};

process.on('disconnect', () => process.exit());
process.on('message', async ({ prefix }: LoaderJob) => {
  post({ kind: 'reading', file: 'facts/pla/delivery.parquet' });
  await makeTemporaryDirectory();
  setImmediate(() => BEHAVIOURS[prefix]?.());
});
