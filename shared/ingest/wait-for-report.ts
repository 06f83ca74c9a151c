import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod/mini';
import type { Bucket } from './bucket.ts';
import { IngestProgress, IngestReport, PROGRESS_FILE, parseFile, REPORT_FILE } from './report-file.ts';

export interface WaitOptions {
  readonly bucket: Bucket;
  readonly prefix: string;
  /** The id in `_READY`. */
  readonly id: string;
  /** Ends the wait; the load continues. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IngestProgress) => void;
  readonly pollMs?: number;
  /** Max time without new progress. */
  readonly timeoutMs?: number;
}

const POLL_MS = 2_000;
/** A function runs for at most 15 minutes, all of which it may spend waiting for another load. */
const TIMEOUT_MS = 16 * 60_000;

/**
 * @returns the report of the load with this id, as soon as it exists
 * @throws the signal's reason when it aborts, an Error when there is no new progress for `timeoutMs`
 */
export async function waitForReport(options: WaitOptions): Promise<IngestReport> {
  const { bucket, prefix, id, signal, onProgress, pollMs = POLL_MS, timeoutMs = TIMEOUT_MS } = options;
  let progressAt = performance.now();
  let reported = '';
  for (;;) {
    signal.throwIfAborted();
    const report = await read(bucket, `${prefix}${REPORT_FILE}`, IngestReport);
    if (report?.id === id) return report;
    const progress = await read(bucket, `${prefix}${PROGRESS_FILE}`, IngestProgress);
    if (progress?.id === id && progress.at !== reported) {
      reported = progress.at;
      progressAt = performance.now();
      onProgress(progress);
    }
    if (performance.now() - progressAt > timeoutMs) {
      const minutes = Math.round(timeoutMs / 60_000);
      throw new Error(
        `the load has made no progress for ${minutes} minutes: check the log of the function IngestFolder, and whether ${bucket.name} is the stack's bucket`,
      );
    }
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function read<T>(bucket: Bucket, key: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  const found = await bucket.readText(key);
  return found && parseFile(schema, found.text);
}
