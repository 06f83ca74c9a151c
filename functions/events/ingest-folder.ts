import type { Context } from 'aws-lambda';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ingestFolder } from '../../shared/ingest/ingest-folder.ts';
import { parseReadyEvent } from '../../shared/ingest/ready-event.ts';
import { isColdStart } from '../../shared/lib/cold-start.ts';
import { readEnv } from '../../shared/lib/env.ts';
import { logError, logIngestion } from '../../shared/lib/log.ts';
import { type Meter, openTable } from '../../shared/store/table/client.ts';

/** Time at the end of the function's time limit that is reserved for undoing the load and writing the report. */
const RESERVED_MS = 90_000;
const REPORT_MS = 15_000;
/** Long, because the thread that renews the lease also encodes facts, and the load after a killed function can wait. */
const SILENCE_MS = 60_000;
/** Max problems in the report: unlike on the command line, there is no option for more. */
const MAX_PROBLEMS = 1_000;

const { TABLE_NAME, BUCKET_NAME, TIME_ZONE } = readEnv(['TABLE_NAME', 'BUCKET_NAME', 'TIME_ZONE']);
const table = openTable({ tableName: TABLE_NAME, requestMs: 10_000, maxStallMs: 5 * 60_000 });
const bucket = openBucket({ name: BUCKET_NAME });

/** S3's event "Object Created" of a `_READY`: loads the folder and writes the report into it. */
export async function handler(event: unknown, context: Context): Promise<void> {
  const startedAt = performance.now();
  const lambdaRequestId = context.awsRequestId;
  const coldStart = isColdStart();
  const loadMs = Math.max(0, context.getRemainingTimeInMillis() - RESERVED_MS);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(explainDeadline(loadMs))), loadMs);
  const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  try {
    const { prefix, arrival } = parseReadyEvent(event);
    const outcome = await ingestFolder({
      bucket,
      prefix,
      arrival,
      table: table.metered(meter),
      timeZone: TIME_ZONE,
      signal: deadline.signal,
      undoMs: RESERVED_MS - REPORT_MS,
      limits: { problems: MAX_PROBLEMS, threads: 0 }, // the bundle has no file for threads, and the function little more than one processor
      lease: { waitMs: loadMs, silenceMs: SILENCE_MS },
    });
    const { calls: storeCalls, ...units } = meter;
    logIngestion({
      lambdaRequestId,
      coldStart,
      prefix,
      outcome,
      latencyMs: Math.round(performance.now() - startedAt),
      ...units,
      storeCalls,
      functionName: context.functionName,
    });
  } catch (error) {
    logError({ lambdaRequestId }, error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function explainDeadline(loadMs: number): string {
  return (
    `The load was abandoned after ${Math.round(loadMs / 60_000)} minutes, because a function may run for 15 minutes at most; nothing has changed. ` +
    `Load the folder in parts, for example by days, or from a machine without a time limit: npm run load -- <folder> --table ${TABLE_NAME}`
  );
}
