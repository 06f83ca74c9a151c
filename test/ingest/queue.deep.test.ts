import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { IngestReport } from '../../shared/ingest/report-file.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { WAITING_RANGE } from '../../shared/store/table/item-keys.ts';
import { resourcesOf, shorten, synthesizeDefault } from '../infra/stack/synthesized.ts';
import { folderOf } from '../load/support/folder.ts';
import { NETWORK } from '../load/support/network-rows.ts';
import { useTablePerTest } from '../support/use-engine.ts';
import { consume, FifoQueue, type Invocation, type QueueAttributes } from './support/fifo-queue.ts';
import { BUCKET, useObjectServer } from './support/object-server.ts';
import { putFiles, putMarker, putReady, readyEvent, reportIn } from './support/put-folder.ts';
import { useQueueServer } from './support/queue-server.ts';
import { KEY_ID, useKms } from './support/use-server.ts';

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
    .parse(
      [...resourcesOf(template, 'AWS::Events::Rule').values()]
        .map(({ Properties }) => shorten(Properties))
        .find((rule) => 'EventPattern' in Object(rule)),
    );
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
  vi.stubEnv('CURRENCY', 'USD');
  vi.stubEnv('ATTRIBUTION', '{}');
  vi.stubEnv('USER_ID_KEY', KEY_ID);
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.url);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', made.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', server.endpoint);
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', sqs.endpoint);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true); // the function's log
  await importFunction('{"successMarker":true}');
  return () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  };
});

/** The function reads its environment when it is imported. */
async function importFunction(rules: string): Promise<void> {
  vi.stubEnv('LOAD_RULES', rules);
  vi.resetModules();
  handler = Object(await import('../../functions/events/ingest-folder.ts')).handler;
}

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

/** Each folder as Spark writes it: a file of each dataset, and markers, `_SUCCESS` beside the files of a dataset. */
describe('Spark', () => {
  const part = (day: string, impressions: number, adGroup = 1000) =>
    `hour,ad_group_id,impressions\n${day === '02' ? 9 : 10},${adGroup},${impressions}\n`;
  const DELIVERY = 'facts/pla/delivery/';
  const partOf = (day: string) => `${DELIVERY}daily_date=2026-03-${day}/part-0.csv`;
  const NEW_GROUP =
    'id,name,campaignId,status\n1000,Wide,100,ACTIVE\n1001,Narrow,100,ACTIVE\n1100,Other,110,ACTIVE\n7,New,100,ACTIVE\n';
  const PLACEMENTS = 'id,name,experiences\n1,Search,pla\n2,Home,pla\n3,Cart,pla\n';
  const TRIED_AGAIN =
    'only ids are unknown: for two weeks, the folder is tried again after each folder of the bucket that changes ad groups or placements';

  /** Writes the files, and then the marker. */
  function write(files: Readonly<Record<string, string>>, marker: string): void {
    for (const [key, content] of Object.entries(files)) server.objects.set(key, Buffer.from(content));
    const name = marker.endsWith('_READY') ? '_READY' : '_SUCCESS';
    const event = putMarker(server, marker.slice(0, -name.length), name, '');
    queue.send(JSON.stringify(readyEvent(event)), group);
  }

  beforeEach(async () => {
    using folder = folderOf(NETWORK);
    drop('with-users/network/', putFiles(server, folder.path, 'with-users/network/'));
    await consumeAll();
  });

  const outcomes = (): Record<string, string> =>
    Object.fromEntries(
      [...server.objects.keys()]
        .filter((key) => key.endsWith('_REPORT.json') && !key.startsWith('with-users/'))
        .map((key) => key.replace('_REPORT.json', ''))
        .map((prefix) => [prefix, reportOf(prefix).outcome]),
    );

  test.each<[string, boolean, [files: Record<string, string>, marker: string][], Record<string, string>]>([
    [
      'with dynamic partition overwrite writes no _SUCCESS, and the job writes _READY into the folder of the night',
      true,
      [[{ [`n1/${partOf('02')}`]: part('02', 1), [`n1/${partOf('03')}`]: part('03', 1) }, 'n1/_READY']],
      { 'n1/': 'loaded' },
    ],
    [
      'marks each dataset, which is a load of its own',
      true,
      [
        [{ [`n1/${partOf('02')}`]: part('02', 1) }, `n1/${DELIVERY}_SUCCESS`],
        [{ 'n1/placements/part-0.csv': PLACEMENTS }, 'n1/placements/_SUCCESS'],
      ],
      { [`n1/${DELIVERY}`]: 'loaded', 'n1/placements/': 'loaded' },
    ],
    [
      'starts no load of its datasets with successMarker false, but that of the folder',
      false,
      [
        [{ [`n1/${partOf('02')}`]: part('02', 1) }, `n1/${DELIVERY}_SUCCESS`],
        [{ 'n1/placements/part-0.csv': PLACEMENTS }, 'n1/placements/_SUCCESS'],
        [{}, 'n1/_READY'],
      ],
      { 'n1/': 'loaded' },
    ],
    [
      'may write facts before their ad groups: they are loaded after them',
      true,
      [
        [{ [`n1/${partOf('02')}`]: part('02', 1, 7) }, `n1/${DELIVERY}_SUCCESS`],
        [{ 'n1/ad_groups/part-0.csv': NEW_GROUP }, 'n1/ad_groups/_SUCCESS'],
      ],
      { [`n1/${DELIVERY}`]: 'loaded', 'n1/ad_groups/': 'loaded' },
    ],
    [
      'may write facts before other listings: the facts stay rejected until one that they refer to changes',
      true,
      [
        [{ [`n1/${partOf('02')}`]: part('02', 1, 7) }, `n1/${DELIVERY}_SUCCESS`],
        [{ 'n1/accounts.patch/part-0.csv': 'id,name\n1,Acme\n' }, 'n1/accounts.patch/_SUCCESS'],
      ],
      { [`n1/${DELIVERY}`]: 'rejected', 'n1/accounts.patch/': 'loaded' },
    ],
    [
      'may write facts that are wrong in another way, too: they are not tried again',
      true,
      [
        [{ [`n1/${partOf('02')}`]: part('02', -1, 7) }, `n1/${DELIVERY}_SUCCESS`],
        [{ [`n1/${partOf('02')}`]: part('02', 1, 7), 'n1/ad_groups/part-0.csv': NEW_GROUP }, 'n1/ad_groups/_SUCCESS'],
      ],
      { [`n1/${DELIVERY}`]: 'rejected', 'n1/ad_groups/': 'loaded' },
    ],
  ])('%s', async (_, successMarker, steps, expected) => {
    await importFunction(JSON.stringify({ successMarker }));
    for (const [files, marker] of steps) {
      write(files, marker);
      await consumeAll();
    }
    expect(outcomes()).toEqual(expected);
    expect(queue.deadLetters).toEqual([]);
  });

  test('facts that are rejected for unknown ids are tried again until a folder has their ids, whatever others wait for', async () => {
    const deliveryOf = (name: string) => `${name}/${DELIVERY}`;
    write({ [`n1/${partOf('02')}`]: part('02', 1, 7) }, `${deliveryOf('n1')}_SUCCESS`);
    write({ [`n2/${partOf('03')}`]: part('03', 1, 8) }, `${deliveryOf('n2')}_SUCCESS`);
    await consumeAll();
    write({ 'n1/ad_groups/part-0.csv': NEW_GROUP }, 'n1/ad_groups/_SUCCESS'); // has no ad group 8
    await consumeAll();
    expect(reportOf(deliveryOf('n1')).outcome).toBe('loaded');
    expect(reportOf(deliveryOf('n2'))).toMatchObject({ outcome: 'rejected', warnings: [TRIED_AGAIN] });
    const waiting = async () => made.table.query({ ...WAITING_RANGE, consistent: true });
    const [item] = await waiting();
    write({ 'n3/ad_groups/part-0.csv': NEW_GROUP.replace('New', 'Newer') }, 'n3/ad_groups/_SUCCESS');
    await consumeAll();
    expect(await waiting(), 'until the same time').toMatchObject([{ sk: item?.sk, expiresAt: item?.expiresAt }]);
    write({ 'n4/ad_groups/part-0.csv': `${NEW_GROUP}8,Late,100,ACTIVE\n` }, 'n4/ad_groups/_SUCCESS');
    await consumeAll();
    expect(reportOf(deliveryOf('n2'))).toMatchObject({ outcome: 'loaded', warnings: [] });
    expect(await waiting()).toEqual([]);
  });

  test('facts that no time was left for are tried again before those whose ids are unknown all the time', async () => {
    const [never, late] = [`n1/${DELIVERY}`, `n2/${DELIVERY}`];
    write({ [`n1/${partOf('02')}`]: part('02', 1, 8) }, `${never}_SUCCESS`);
    write({ [`n2/${partOf('03')}`]: part('03', 1, 7) }, `${late}_SUCCESS`);
    await consumeAll();
    const hurried = (event: object) => {
      let calls = 0; // the folder of the message takes one, each that waits two
      return handler(event, { ...context, getRemainingTimeInMillis: () => (calls++ < 3 ? 900_000 : 60_000) });
    };
    for (const night of ['n3', 'n4']) {
      expect(outcomes()).toMatchObject({ [never]: 'rejected', [late]: 'rejected' });
      write({ [`${night}/ad_groups/part-0.csv`]: NEW_GROUP.replace('New', night) }, `${night}/ad_groups/_SUCCESS`);
      await consumeAll(hurried);
    }
    expect(outcomes()).toMatchObject({ [never]: 'rejected', [late]: 'loaded' });
  });

  test('facts that wait for listings do not replace days of a later folder', async () => {
    server.written.set(`n1/${DELIVERY}_SUCCESS`, new Date('2026-03-10T04:00:00Z'));
    write({ [`n1/${partOf('02')}`]: `${part('02', 1)}9,7,1\n` }, `n1/${DELIVERY}_SUCCESS`);
    server.written.set('n2/_READY', new Date('2026-03-10T05:00:00Z'));
    write({ [`n2/${partOf('02')}`]: part('02', 2) }, 'n2/_READY');
    write({ 'n3/ad_groups/part-0.csv': NEW_GROUP }, 'n3/ad_groups/_SUCCESS');
    await consumeAll();
    expect(outcomes()).toEqual({ [`n1/${DELIVERY}`]: 'rejected', 'n2/': 'loaded', 'n3/ad_groups/': 'loaded' });
    expect(reportOf(`n1/${DELIVERY}`).problems[0]?.reason).toMatch(/^was complete at 2026-03-10T04:00:00/);
  });
});
