import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { cachedBundles } from '../../infra/bundle/cached-bundles.ts';
import { MAX_ATTEMPTS } from '../../shared/ingest/folder-queue.ts';
import type { ReadyEvent } from '../../shared/ingest/ready-event.ts';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { folderOf } from '../load/support/folder.ts';
import { EXPECTED, FACTS, NETWORK } from '../load/support/network-rows.ts';
import { parquetFolderOf } from '../load/support/parquet-folder.ts';
import { readStoredNetwork } from '../load/support/read-stored-network.ts';
import type { TestTable } from '../support/table.ts';
import { useEngine } from '../support/use-engine.ts';
import { FifoQueue, queueEvent } from './support/fifo-queue.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { putFiles, putReady, readyEvent, reportIn } from './support/put-folder.ts';
import { useQueueServer } from './support/queue-server.ts';
import { KEY_ID, useKms } from './support/use-server.ts';

const engine = useEngine();
const server = useObjectServer();
const sqs = useQueueServer();
const kms = useKms();
let bundles: string;
beforeAll(async () => {
  bundles = await cachedBundles();
});

/** Runs the deployed bundle in a separate process, for one event. @returns its log lines, and its response as the last one */
async function invoke({ tableName }: TestTable, event: unknown, remainingMs: number): Promise<unknown[]> {
  const script = `
    const { handler } = await import(process.argv[1]);
    const context = { awsRequestId: 'request-1', functionName: 'Endcap-IngestFolder', getRemainingTimeInMillis: () => ${remainingMs} };
    console.log(JSON.stringify(await handler(JSON.parse(process.argv[2]), context)));`;
  const env = {
    ...process.env,
    TABLE_NAME: tableName,
    BUCKET_NAME: BUCKET,
    QUEUE_URL: sqs.url,
    TIME_ZONE: 'UTC',
    PRODUCT_IDS: 'upc',
    ...{ CURRENCY: 'USD', ATTRIBUTION: '{}' },
    LOAD_RULES: '{"successMarker":true}',
    USER_ID_KEY: KEY_ID,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_S3: server.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  };
  const bundle = join(bundles, 'ingest-folder/index.mjs');
  const args = ['--input-type=module', '-e', script, bundle, JSON.stringify(event)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** @returns the event with which Lambda delivers the arrival from the queue */
function eventOf(arrived: ReadyEvent): object {
  const queue = new FifoQueue({ visibilityTimeout: 5_400, maxReceiveCount: MAX_ATTEMPTS });
  sqs.queue = queue;
  queue.send(JSON.stringify(readyEvent(arrived)), 'folders');
  const message = queue.receive();
  if (message === undefined) throw new Error('the queue is empty');
  return queueEvent(message);
}

const PROCESSED = { batchItemFailures: [] };
const MINUTES = 60_000;
/** The definition of the metrics that the alarms use. */
const METRICS = {
  Timestamp: expect.any(Number),
  CloudWatchMetrics: [
    {
      Namespace: 'Endcap',
      Dimensions: [['functionName']],
      Metrics: [{ Name: 'foldersAbandoned' }, { Name: 'foldersRejected' }],
    },
  ],
};

test.each(['csv.gz', 'parquet'])(
  'the deployed bundle loads a folder of %s, and logs what it has changed and what it took',
  async (format) => {
    const table = await engine.createTable();
    const rows = { ...NETWORK, ...FACTS };
    using folder = format === 'parquet' ? await parquetFolderOf(rows) : folderOf(rows, format);
    const prefix = `with-users/${format}/`;
    const event = eventOf(putReady(server, prefix, putFiles(server, folder.path, prefix)));
    const lines = await invoke(table, event, 15 * MINUTES);
    const [audited] = await readAudit(table.table, 0, Date.now() + MINUTES);
    expect(lines).toEqual([
      {
        timestamp: expect.stringMatching(/Z$/),
        level: 'INFO',
        message: 'change',
        lambdaRequestId: 'request-1',
        actor: 'the ingestion of the stack',
        action: 'load',
        subject: `s3://${BUCKET}/${prefix}`,
        details: audited?.details,
      },
      {
        timestamp: expect.stringMatching(/Z$/),
        level: 'INFO',
        message: 'ingestion',
        lambdaRequestId: 'request-1',
        coldStart: true,
        prefix,
        outcome: 'loaded',
        latencyMs: expect.any(Number),
        readUnits: expect.any(Number),
        writeUnits: expect.any(Number),
        storeCalls: expect.any(Number),
        functionName: 'Endcap-IngestFolder',
        foldersAbandoned: 0,
        foldersRejected: 0,
        _aws: METRICS,
      },
      PROCESSED,
    ]);
    expect(await readStoredNetwork(table.table)).toEqual(EXPECTED);
  },
);

test('a folder is abandoned when the function runs out of time, and the report says how else to load it', async () => {
  const table = await engine.createTable();
  using folder = folderOf(NETWORK);
  const event = eventOf(putReady(server, 'with-users/late/', putFiles(server, folder.path, 'with-users/late/')));
  const reservedMs = 1.5 * MINUTES; // the function keeps this time for the report, so none is left for the load
  expect(await invoke(table, event, reservedMs)).toMatchObject([
    { level: 'ERROR', outcome: 'abandoned', foldersAbandoned: 1, _aws: METRICS },
    PROCESSED,
  ]);
  const report = reportIn(server, 'with-users/late/');
  expect(report.outcome).toBe('abandoned');
  expect(report.reason).toContain(`npm run load -- <folder> --table ${table.tableName}`);
  expect(await table.content()).toEqual([]);
});
