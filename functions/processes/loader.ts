import { kmsUserIdKey } from '../../shared/identity/kms-user-id-key.ts';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { ingestFolder } from '../../shared/ingest/load-sent-folder.ts';
import type { LoaderJob, LoaderMessage, LoaderResult } from '../../shared/ingest/loader-process.ts';
import type { ReadyEvent } from '../../shared/ingest/ready-event.ts';
import { USERS_PREFIX } from '../../shared/ingest/ready-file.ts';
import { readEnv } from '../../shared/lib/env.ts';
import { LOADER_ATTEMPT_MS } from '../../shared/lib/sdk/request-limits.ts';
import { KEEP_MARKS_MS } from '../../shared/load/check/marked-loads.ts';
import type { LoadRules } from '../../shared/load/load-folder.ts';
import type { Item } from '../../shared/store/table/item.ts';
import { waitingKey } from '../../shared/store/table/item-keys.ts';
import { type Meter, openTable } from '../../shared/store/table/table.ts';
import { pacedWrites } from '../../shared/store/table/write-rate.ts';

// The child process of ingest-folder: it loads the folders that `LoaderProcess` sends.

/** Time reserved at the end of the function's time limit for undoing the load and writing the report. */
const UNDO_AND_REPORT_MS = 90_000;
/** The part of UNDO_AND_REPORT_MS for writing the report. */
const REPORT_MS = 15_000;
/** The lease expires after this time without a heartbeat: long, because the process that renews it also encodes facts, and the load after a killed function can wait. */
const SILENCE_MS = 60_000;

const { TABLE_NAME, BUCKET_NAME, TIME_ZONE, CURRENCY, ATTRIBUTION, PRODUCT_IDS, USER_ID_KEY, LOAD_RULES } = readEnv([
  'TABLE_NAME',
  'BUCKET_NAME',
  'TIME_ZONE',
  'CURRENCY',
  'ATTRIBUTION',
  'PRODUCT_IDS',
  'USER_ID_KEY',
  'LOAD_RULES',
]);
const { successMarker: _, ...rules }: LoadRules & { successMarker: boolean } = JSON.parse(LOAD_RULES);
const table = openTable({ tableName: TABLE_NAME, requestMs: LOADER_ATTEMPT_MS, throttling: pacedWrites() });
const bucket = openBucket({ name: BUCKET_NAME });

const post = (message: LoaderMessage) => process.send?.(message);
process.on('disconnect', () => process.exit()); // the function has ended
process.on('message', (job: LoaderJob) =>
  runJob(job).then(
    (result) => post({ kind: 'ended', result }),
    (error: unknown) => post({ kind: 'failed', error }),
  ),
);

async function runJob({ retryInSeconds, remainingMs, waitsUntil, ...event }: LoaderJob): Promise<LoaderResult> {
  const loadMs = Math.max(0, remainingMs - UNDO_AND_REPORT_MS);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(explainDeadline(loadMs))), loadMs);
  const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const { arrival } = event;
  // another arrival than the one that is reported
  const retry = { ...event, arrival: { ...arrival, sequencer: `${arrival.sequencer}+` } };
  try {
    const outcome = await ingestFolder({
      bucket,
      usersPrefix: USERS_PREFIX,
      ...event,
      ...rules,
      rejectOlder: waitsUntil !== undefined || rules.rejectOlder,
      onUnknownIds: () => table.put(waitingItem(retry, waitsUntil)),
      retryInSeconds,
      table: table.metered(meter),
      timeZone: TIME_ZONE,
      currency: CURRENCY,
      attribution: ATTRIBUTION,
      productIds: PRODUCT_IDS === 'text' ? 'text' : 'upc',
      userIdKey: kmsUserIdKey(USER_ID_KEY),
      onChange: (change) => post({ kind: 'change', change }),
      onReading: (file) => post({ kind: 'reading', file }),
      signal: deadline.signal,
      undoMs: UNDO_AND_REPORT_MS - REPORT_MS,
      limits: { threads: 0 }, // the bundle has no file for worker threads, and the function has less than two processors
      lease: { waitMs: loadMs, silenceMs: SILENCE_MS },
    });
    return { outcome, ...meter };
  } finally {
    clearTimeout(timer);
  }
}

/** It waits as long as older loads are recognized. */
function waitingItem(retry: ReadyEvent, expiresAt = Math.floor((Date.now() + KEEP_MARKS_MS) / 1_000)): Item {
  return { ...waitingKey(retry.prefix), event: JSON.stringify(retry), expiresAt };
}

function explainDeadline(loadMs: number): string {
  return (
    `The load was abandoned after ${Math.round(loadMs / 60_000)} minutes, because a function may run for 15 minutes at most. Unless npx endcap audit lists it, nothing has changed. ` +
    `Load the folder in parts, for example by days, or from a machine without a time limit: npm run load -- <folder> --table ${TABLE_NAME}`
  );
}
