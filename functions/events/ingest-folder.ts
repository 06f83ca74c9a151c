import type { Context, SQSBatchResponse } from 'aws-lambda';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { type FolderMessage, FolderQueue, parseQueueEvent } from '../../shared/ingest/folder-queue.ts';
import { reportKilled } from '../../shared/ingest/load-sent-folder.ts';
import {
  type LoaderJob,
  LoaderKilledError,
  LoaderProcess,
  type LoaderResult,
} from '../../shared/ingest/loader-process.ts';
import { parseReadyEvent, type ReadyEvent } from '../../shared/ingest/ready-event.ts';
import { SUCCESS_FILE } from '../../shared/ingest/ready-file.ts';
import { trackColdStart } from '../../shared/lib/cold-start.ts';
import { readEnv } from '../../shared/lib/env.ts';
import { logChange, logError, logIngestion } from '../../shared/lib/log.ts';
import { LOADER_ATTEMPT_MS } from '../../shared/lib/sdk/request-limits.ts';
import { type Item, numberIn, textIn } from '../../shared/store/table/item.ts';
import { WAITING_RANGE } from '../../shared/store/table/item-keys.ts';
import { openTable } from '../../shared/store/table/table.ts';
import { pacedWrites } from '../../shared/store/table/write-rate.ts';

/** Seconds until a message is released after the last attempt; not 0, so that this invocation has ended when the next folder is delivered. */
const LAST_RELEASE_S = 1;
/** A folder that waits for listings is loaded only if this much time is left. */
const MIN_RETRY_MS = 10 * 60_000;

const { TABLE_NAME, BUCKET_NAME, QUEUE_URL, LOAD_RULES, AWS_REGION } = readEnv([
  'TABLE_NAME',
  'BUCKET_NAME',
  'QUEUE_URL',
  'LOAD_RULES',
  'AWS_REGION',
]);
const { successMarker }: { readonly successMarker: boolean } = JSON.parse(LOAD_RULES);
const table = openTable({ tableName: TABLE_NAME, requestMs: LOADER_ATTEMPT_MS, throttling: pacedWrites() });
const bucket = openBucket({ name: BUCKET_NAME });
// the bundle has it beside this file
const path = import.meta.url.endsWith('.ts') ? '../processes/loader.ts' : './loader.mjs';
const loader = new LoaderProcess(new URL(path, import.meta.url));
const isColdStart = trackColdStart();
const queue = new FolderQueue({ url: QUEUE_URL, region: AWS_REGION });

/**
 * A message with S3's event "Object Created" of a `_READY` or `_SUCCESS`: loads the folder and writes the report into it.
 * @throws Error if the event is not one message of a queue
 * @returns the message after an error that the folder did not cause, so that SQS delivers it again or, after the last attempt, moves it to the dead-letter queue
 */
export async function handler(event: unknown, context: Context): Promise<SQSBatchResponse> {
  const ids = { lambdaRequestId: context.awsRequestId };
  const message = parseQueueEvent(event);
  const release = await queue.hold(message, (error) => logError(ids, error));
  try {
    await load(message, context);
    await release();
    return { batchItemFailures: [] };
  } catch (error) {
    logError(ids, error);
    await release(message.retryInSeconds ?? LAST_RELEASE_S);
    return { batchItemFailures: [{ itemIdentifier: message.id }] };
  }
}

/** Loads a folder, and if that changes what facts refer to, the folders that were rejected because of unknown ids. */
async function load({ body, retryInSeconds }: FolderMessage, context: Context): Promise<void> {
  const event = parseReadyEvent(JSON.parse(body));
  if (event.marker === SUCCESS_FILE && !successMarker) return;
  const { outcome, listings } = await loadOne({ ...event, retryInSeconds }, context);
  const hasChanged = listings.includes('ad_groups') || listings.includes('placements');
  const items = await table.query({ ...WAITING_RANGE, consistent: true });
  // first those for which too little time was left
  for (const item of items.sort((a, b) => Number(b.isDue ?? false) - Number(a.isDue ?? false))) {
    const waiting: ReadyEvent = JSON.parse(textIn(item, 'event'));
    const isOver = numberIn(item, 'expiresAt') * 1_000 <= Date.now();
    if (isOver || (waiting.prefix === event.prefix && outcome !== 'rejected')) await table.delete(item);
    else if (hasChanged || item.isDue === true) await loadWaiting(item, waiting, context);
  }
}

/** Loads a folder that waits, or leaves it to the next invocation, if too little time is left or an error ends its load. */
async function loadWaiting(item: Item, waiting: ReadyEvent, context: Context): Promise<void> {
  await table.put({ ...item, isDue: true });
  if (context.getRemainingTimeInMillis() < MIN_RETRY_MS) return;
  try {
    const waitsUntil = numberIn(item, 'expiresAt');
    const { outcome } = await loadOne({ ...waiting, waitsUntil, retryInSeconds: undefined }, context);
    const isSame = { text: '#event = :event', values: { event: textIn(item, 'event') } }; // the load has not put it again
    if (outcome !== 'abandoned') await table.delete(item, isSame);
  } catch (error) {
    logError({ lambdaRequestId: context.awsRequestId }, error);
  }
}

/** @returns the outcome, and the listings that have changed */
async function loadOne(
  event: Omit<LoaderJob, 'remainingMs'>,
  context: Context,
): Promise<{ readonly outcome: LoaderResult['outcome']; readonly listings: readonly string[] }> {
  const startedAt = new Date();
  const coldStart = isColdStart();
  const ids = { lambdaRequestId: context.awsRequestId };
  const job = { ...event, remainingMs: context.getRemainingTimeInMillis() };
  let listings: readonly string[] = [];
  let result: LoaderResult;
  try {
    result = await loader.run(job, ({ actor, action, subject, details }) => {
      listings = details.listings;
      logChange({ ...ids, actor, action, subject, details });
    });
  } catch (error) {
    if (!(error instanceof LoaderKilledError)) throw error;
    const killed = { bucket, table, ...event };
    const outcome = await reportKilled(killed, startedAt.toISOString(), error.message, error.reading);
    result = { outcome, readUnits: 0, writeUnits: 0, calls: 0 };
  }
  const { calls: storeCalls, ...line } = result;
  const latencyMs = Date.now() - startedAt.getTime();
  logIngestion({
    ...ids,
    coldStart,
    prefix: event.prefix,
    ...line,
    latencyMs,
    storeCalls,
    functionName: context.functionName,
  });
  return { outcome: result.outcome, listings };
}
