import { setTimeout as sleep } from 'node:timers/promises';
import type * as z from 'zod/mini';
import type { Bucket } from './bucket.ts';
import { IngestProgress, IngestReport, PROGRESS_FILE, parseFile, REPORT_FILE } from './report-file.ts';

interface WaitOptions {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly id: string;
  /** Ends the wait; the load continues. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: IngestProgress) => void;
  /** Called with a sentence about why the load has not begun, or is repeated. */
  readonly onNote: (text: string) => void;
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  pollMs: 2_000,
  /** Time without a sign of the load until a note says what it may be waiting for. */
  queuedMs: 60_000,
  /**
   * Maximum time without a sign of the load. It is more than the 15 minutes that a function may run, all of which it may spend waiting for another load, and the 3
   * minutes until the queue delivers the folder again if it crashes.
   */
  maxSilentMs: 30 * 60_000,
};

/**
 * @returns the last report of the load with this id, as soon as it exists: one of an attempt that failed is not the last if another attempt follows
 * @throws the signal's reason when it aborts, an Error when the load does not begin, or makes no progress, for too long
 */
export async function waitForReport(options: WaitOptions): Promise<IngestReport> {
  const { bucket, prefix, id, signal, onProgress, onNote } = options;
  const { pollMs, queuedMs, maxSilentMs } = { ...LIMITS, ...options.limits };
  let signAt = performance.now();
  let noted = false;
  const signs = new Set<string>();
  /** @returns whether the sign, which is identified by its time, is new */
  const recordSign = (time: string) => {
    if (signs.has(time)) return false;
    signs.add(time);
    signAt = performance.now();
    return true;
  };
  for (;;) {
    signal.throwIfAborted();
    const report = await read(bucket, `${prefix}${REPORT_FILE}`, IngestReport);
    if (report?.id === id) {
      if (report.retryInSeconds === undefined) return report;
      if (recordSign(report.endedAt)) onNote(`an attempt has failed: ${report.reason}`);
    }
    const progress = await read(bucket, `${prefix}${PROGRESS_FILE}`, IngestProgress);
    if (progress?.id === id && recordSign(progress.at)) {
      if (progress.waitsFor === undefined) onProgress(progress);
      else onNote(progress.waitsFor);
    }
    const begun = signs.size > 0;
    const silentMs = performance.now() - signAt;
    if (!begun && !noted && silentMs >= queuedMs) {
      noted = true;
      onNote(
        `waiting for other folders: the stack loads them one at a time, in the order of their arrival; if it does not begin, check whether ${bucket.name} is the bucket of the stack; in the first five minutes after the first deployment, S3 reports no folders: run the command again then`,
      );
    }
    if (!begun && silentMs > maxSilentMs)
      throw new Error(
        `the load has not begun for ${Math.round(silentMs / 60_000)} minutes: nothing is lost, and the files are in the bucket; if no other folders are being loaded, run the command again, which sends only what is missing`,
      );
    if (begun && silentMs > maxSilentMs)
      throw new Error(
        `the load has made no progress for ${Math.round(silentMs / 60_000)} minutes: check the log of the function IngestFolder`,
      );
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function read<T>(bucket: Bucket, key: string, schema: z.ZodMiniType<T>): Promise<T | undefined> {
  const found = await bucket.readText(key);
  return found && parseFile(schema, found.text);
}
