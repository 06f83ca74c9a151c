import type { Context } from 'aws-lambda';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ingestFolder } from '../../shared/ingest/ingest-folder.ts';
import { parseReadyEvent } from '../../shared/ingest/ready-event.ts';
import { readEnv } from '../../shared/lib/env.ts';
import { logError, logIngestion } from '../../shared/lib/log.ts';
import { type Meter, openTable } from '../../shared/store/table/client.ts';

/** Before the end of the function's time the load is given up, so that there is time to remove what it wrote, and to report. */
const GIVE_UP_MS = 90_000;
const REPORT_MS = 15_000;
/** The thread that renews the lease also encodes facts, and may be late; whoever comes after a function that died can wait. */
const SILENCE_MS = 60_000;
/** How many problems the report tells: whoever drops a folder cannot ask for more of them. */
const PROBLEMS = 1_000;

const { TABLE_NAME, BUCKET_NAME, TIME_ZONE } = readEnv(['TABLE_NAME', 'BUCKET_NAME', 'TIME_ZONE']);
const table = openTable({ tableName: TABLE_NAME, requestMs: 10_000, maxStallMs: 5 * 60_000 });
const bucket = openBucket({ name: BUCKET_NAME });

/** S3's "Object Created" of a `_READY`: the folder is loaded, and the report written beside it. */
export async function handler(event: unknown, context: Context): Promise<void> {
  const began = performance.now();
  const requestId = context.awsRequestId;
  const leftMs = Math.max(0, context.getRemainingTimeInMillis() - GIVE_UP_MS);
  const overdue = new AbortController();
  const timer = setTimeout(() => overdue.abort(new Error(tooLong(leftMs))), leftMs);
  const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  try {
    const { prefix, arrival } = parseReadyEvent(event);
    const outcome = await ingestFolder({
      bucket,
      prefix,
      arrival,
      table: table.metered(meter),
      timeZone: TIME_ZONE,
      signal: overdue.signal,
      removeMs: GIVE_UP_MS - REPORT_MS,
      limits: { problems: PROBLEMS, threads: 0 }, // a bundle is one file, and a function of this size has hardly more than one processor
      lease: { waitMs: leftMs, silenceMs: SILENCE_MS },
    });
    const { calls: storeCalls, ...units } = meter;
    logIngestion({
      requestId,
      prefix,
      outcome,
      latencyMs: Math.round(performance.now() - began),
      ...units,
      storeCalls,
      functionName: context.functionName,
    });
  } catch (error) {
    logError(requestId, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function tooLong(ms: number): string {
  return (
    `It was given up after ${Math.round(ms / 60_000)} minutes, since a function has 15; nothing has changed. Load it in parts, by days, ` +
    `or from a machine, which may take its time: npm run load -- <folder> --table ${TABLE_NAME}`
  );
}
