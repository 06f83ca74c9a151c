import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod/mini';
import type { Bucket } from './bucket.ts';
import { IngestProgress, IngestReport, PROGRESS_FILE, parseFile, REPORT_FILE } from './report-file.ts';

export interface WaitOptions {
  readonly bucket: Bucket;
  readonly prefix: string;
  /** That of the `_READY`. */
  readonly id: string;
  /** Ends the waiting; the load goes on. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IngestProgress) => void;
  readonly pollMs?: number;
  /** How long there may be nothing new. */
  readonly silentMs?: number;
}

const POLL_MS = 2_000;
/** A function has 15 minutes, and may have to wait for another load all the time. */
const SILENT_MS = 16 * 60_000;

/**
 * @returns the report of the load with this id, as soon as it lies beside the folder
 * @throws the signal's reason when it aborts, an Error when nothing is heard of the load any more
 */
export async function waitForReport(options: WaitOptions): Promise<IngestReport> {
  const { bucket, prefix, id, signal, onProgress, pollMs = POLL_MS, silentMs = SILENT_MS } = options;
  let heardAt = performance.now();
  let told = '';
  for (;;) {
    signal.throwIfAborted();
    const report = await read(bucket, `${prefix}${REPORT_FILE}`, IngestReport);
    if (report?.id === id) return report;
    const progress = await read(bucket, `${prefix}${PROGRESS_FILE}`, IngestProgress);
    if (progress?.id === id && progress.at !== told) {
      told = progress.at;
      heardAt = performance.now();
      onProgress(progress);
    }
    if (performance.now() - heardAt > silentMs) {
      const minutes = Math.round(silentMs / 60_000);
      throw new Error(
        `nothing was heard of the load for ${minutes} minutes: see the log of the function IngestFolder, and whether ${bucket.name} is the stack's bucket`,
      );
    }
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function read<T>(bucket: Bucket, key: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  const found = await bucket.readText(key);
  return found && parseFile(schema, found.text);
}
