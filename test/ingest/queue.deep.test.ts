import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { IngestReport } from '../../shared/ingest/report-file.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { resourcesOf, shorten, single, synthesizeDefault } from '../infra/stack/support/synthesized.ts';
import { folderOf } from '../load/support/folder.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { consume, FifoQueue, type Invocation, type QueueAttributes } from './support/fifo-queue.ts';
import { reportIn } from './support/ingest-into.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { putFiles, putReady } from './support/put-folder.ts';
import { useQueueServer } from './support/queue-server.ts';
import { readyEvent } from './support/ready-events.ts';
import { KEY_ID, useKms } from './support/use-kms.ts';

const server = useObjectServer();
const sqs = useQueueServer();
const made = useTablePerTest();
const kms = useKms();

const QueueProperties = z.looseObject({
  FifoQueue: z.literal(true),
  ContentBasedDeduplication: z.literal(true),
  VisibilityTimeout: z.number(),
  RedrivePolicy: z.object({ maxReceiveCount: z.number() }),
});

/** The queue and the message group in the stack's template. */
let attributes: QueueAttributes;
let group: string;
beforeAll(async () => {
  const template = synthesizeDefault();
  const queues = [...resourcesOf(template, 'AWS::SQS::Queue').values()].map(({ Properties }) => Properties);
  const { VisibilityTimeout: visibilityTimeout, RedrivePolicy } = QueueProperties.parse(
    queues.find((properties) => 'RedrivePolicy' in properties),
  );
  attributes = { visibilityTimeout, maxReceiveCount: RedrivePolicy.maxReceiveCount };
  const { Targets } = z
    .looseObject({ Targets: z.tuple([z.looseObject({ SqsParameters: z.object({ MessageGroupId: z.string() }) })]) })
    .parse(shorten(single(template, 'AWS::Events::Rule').Properties));
  group = Targets[0].SqsParameters.MessageGroupId;
});

let queue: FifoQueue;
let handler: (event: object, context: object) => Promise<unknown>;
beforeEach(async () => {
  queue = new FifoQueue(attributes);
  sqs.queue = queue;
  vi.stubEnv('TABLE_NAME', made.tableName);
  vi.stubEnv('BUCKET_NAME', BUCKET);
  vi.stubEnv('QUEUE_URL', sqs.url);
  vi.stubEnv('TIME_ZONE', 'UTC');
  vi.stubEnv('PRODUCT_IDS', 'upc');
  vi.stubEnv('LOAD_RULES', '{"successMarker":true}');
  vi.stubEnv('USER_ID_KEY', KEY_ID);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', made.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', server.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', sqs.endpoint);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true); // the function's log
  vi.resetModules(); // the function reads its environment when it is imported
  handler = Object(await import('../../functions/events/ingest-folder.ts')).handler;
  return () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  };
});

const context = { awsRequestId: 'request', functionName: 'ingest', getRemainingTimeInMillis: () => 900_000 };
const consumeAll = (invoke = (event: object) => handler(event, context)) => consume(queue, invoke);

/** Puts a folder into the bucket. @returns what its `_READY` lists */
function put(prefix: string, name: string): object {
  using folder = folderOf({ accounts: [{ id: 1, name }] });
  return putFiles(server, folder.path, prefix);
}

/** Writes the folder's `_READY`, and sends its event to the queue. */
function drop(prefix: string, ready: object): void {
  queue.send(JSON.stringify(readyEvent(putReady(server, prefix, ready))), group);
}

const reportOf = (prefix: string) => reportIn(server, prefix);

/** Runs the function in a process of its own, and kills it when the promise is resolved. */
async function runUntil(event: object, moment: Promise<void>): Promise<void> {
  const script = `const { handler } = await import('./functions/events/ingest-folder.ts');
    await handler(${JSON.stringify(event)}, { ...${JSON.stringify(context)}, getRemainingTimeInMillis: () => 900_000 });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await moment;
  child.kill('SIGKILL');
  await ended;
}

const prefixOf = ({ body }: Pick<Invocation, 'body'>) => JSON.parse(body).detail.object.key.replace('_READY', '');

describe('folders that are dropped at the same time', () => {
  test('are loaded in their order and one at a time, although one of them fails and one is rejected', async () => {
    const names = Array.from({ length: 22 }, (_, index) => `${String(index + 1).padStart(2, '0')}/`);
    const [failing, rejected] = ['08/', '15/'];
    const folders = names.map((prefix): [string, object] => [prefix, put(prefix, `Account of ${prefix}`)]);
    server.objects.set(`${rejected}accounts.ndjson`, Buffer.from('{}'));
    server.intercept = ({ key }) => (key === `${failing}accounts.ndjson` ? { status: 403 } : undefined);
    for (const [prefix, ready] of folders) drop(prefix, ready);

    const { invocations, maxConcurrent } = await consumeAll();
    expect(maxConcurrent).toBe(1);
    expect(invocations.map(prefixOf)).toEqual(
      names.flatMap((name) =>
        name === failing ? Array.from({ length: attributes.maxReceiveCount }, () => name) : [name],
      ),
    );

    const outcomes = Object.fromEntries(names.map((name) => [name, reportOf(name).outcome]));
    expect(outcomes).toEqual({
      ...Object.fromEntries(names.map((name) => [name, 'loaded'])),
      [failing]: 'failed',
      [rejected]: 'rejected',
    });
    const times = names.map(reportOf).flatMap(({ startedAt, endedAt }) => [startedAt, endedAt]);
    expect(times).toEqual(times.toSorted()); // each began after the one before had ended
    expect((await readCommit(made.table)).commit).toBe(names.length - 2);
    expect(queue.deadLetters.map(prefixOf)).toEqual([failing]);
  });
});

describe('a folder that fails', () => {
  test('is tried again after one, two, four and four minutes, and within a second after that the next one is loaded', async () => {
    const failing = put('a/', 'A');
    const next = put('b/', 'B');
    server.intercept = ({ key }) => (key === 'a/accounts.ndjson' ? { status: 403 } : undefined);
    drop('a/', failing);
    drop('b/', next);
    const { invocations } = await consumeAll();
    expect(invocations.map((invocation) => [prefixOf(invocation), invocation.at])).toEqual([
      ['a/', 0],
      ['a/', 60],
      ['a/', 180],
      ['a/', 420],
      ['a/', 660],
      ['b/', 661],
    ]);
    expect(reportOf('a/').reason).toMatch(/; this was the last attempt\.$/);
    expect(reportOf('b/').outcome).toBe('loaded');
  });

  test('once is loaded by the next attempt, still before the folder behind it', async () => {
    const first = put('a/', 'A');
    const next = put('b/', 'B');
    const reports: IngestReport[] = [];
    server.intercept = ({ key }) => (key === 'a/accounts.ndjson' && reports.length === 0 ? { status: 403 } : undefined);
    server.onCreated = (key) => {
      if (key.endsWith('_REPORT.json')) reports.push(reportOf(key.replace('_REPORT.json', '')));
    };
    drop('a/', first);
    drop('b/', next);
    await consumeAll();
    expect(reports.map(({ outcome, retryInSeconds }) => [outcome, retryInSeconds])).toEqual([
      ['failed', 60],
      ['loaded', undefined],
      ['loaded', undefined],
    ]);
    expect(reports[0]?.reason).toMatch(
      /; the next attempt begins in 60 seconds, before the folders that arrived later\.$/,
    );
    expect(queue.deadLetters).toEqual([]);
  });

  test('because its function crashes delays the next folder by three minutes, not by the visibility timeout of the queue', async () => {
    const first = put('a/', 'A');
    const next = put('b/', 'B');
    drop('a/', first);
    drop('b/', next);
    let crashed = false;
    const { invocations } = await consumeAll(async (event) => {
      if (crashed) return handler(event, context);
      crashed = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      server.intercept = () => {
        resolve();
        return undefined;
      };
      await runUntil(event, promise);
      throw new Error('RequestId: request Error: Runtime exited with error: signal: killed');
    });
    expect(invocations.map((invocation) => [prefixOf(invocation), invocation.at])).toEqual([
      ['a/', 0],
      ['a/', 180],
      ['b/', 180],
    ]);
  });

  test('because its message is not about a folder is moved to the dead-letter queue', async () => {
    queue.send('not JSON', group);
    drop('b/', put('b/', 'B'));
    await consumeAll();
    expect(queue.deadLetters.map(({ body }) => body)).toEqual(['not JSON']);
    expect(reportOf('b/').outcome).toBe('loaded');
  });
});

describe('a _READY', () => {
  test('that is written twice within five minutes is processed twice, because each event has its own id', async () => {
    const ready = put('a/', 'A');
    drop('a/', ready);
    await consumeAll();
    expect(reportOf('a/').outcome).toBe('loaded');
    drop('a/', ready);
    expect(queue.now).toBeLessThan(300); // SQS ignores equal messages within 300 s
    const { invocations } = await consumeAll();
    expect(invocations).toHaveLength(1);
    expect(reportOf('a/').outcome).toBe('unchanged');
  });

  test('whose event is sent twice is processed once', async () => {
    const event = JSON.stringify(readyEvent(putReady(server, 'a/', put('a/', 'A'))));
    queue.send(event, group);
    queue.send(event, group);
    expect((await consumeAll()).invocations).toHaveLength(1);
  });
});
