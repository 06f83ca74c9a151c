import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cachedBundles } from '../../../infra/bundle/cached-bundles.ts';
import { openLocalStage } from '../../../infra/local/local-stage.ts';
import { MAX_ATTEMPTS } from '../../../shared/ingest/folder-queue.ts';
import { gatewayEvent, type TestRequest } from '../../http/support/gateway-event.ts';
import { FifoQueue, queueEvent } from '../../ingest/support/fifo-queue.ts';
import { BUCKET, useObjectServer } from '../../ingest/support/object-server.ts';
import { putFiles, putReady, readyEvent } from '../../ingest/support/put-folder.ts';
import { useQueueServer } from '../../ingest/support/queue-server.ts';
import { KEY_ID, useKms } from '../../ingest/support/use-server.ts';
import { folderOf } from '../../load/support/folder.ts';
import { FACTS, NETWORK } from '../../load/support/network-rows.ts';
import { type Drop, type DroppingProxy, openDroppingProxy } from '../../support/forward.ts';
import { FunctionProcess } from '../../support/function-process.ts';
import { GOOD_REPORT } from '../../support/report-settings.ts';
import { copyOfDemo } from '../../support/stage.ts';
import { useEngine } from '../../support/use-engine.ts';

/** More and less than the time after which idle connections are closed. */
const [LONG_MS, SHORT_MS] = [11_000, 100];

const engine = useEngine();
const objects = useObjectServer();
const sqs = useQueueServer();
const kms = useKms();
let stage: Awaited<ReturnType<typeof openLocalStage>>;
let bundles: string;
beforeAll(async () => {
  const folder = await copyOfDemo();
  [stage, bundles] = await Promise.all([openLocalStage({ folder }), cachedBundles()]);
  return async () => {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  };
});

/** A function in a process, with all connections to its services through proxies. */
interface Instance {
  readonly process: FunctionProcess;
  readonly proxies: readonly DroppingProxy[];
  /** @returns the result of the next of its requests, which all read something that is not cached */
  readonly request: () => Promise<unknown>;
}

let opened: AsyncDisposableStack;
beforeEach(() => {
  opened = new AsyncDisposableStack();
});
afterEach(() => opened.disposeAsync());

/** @param endpoints the URLs of its services by variable */
async function start(
  name: string,
  environment: Readonly<Record<string, string>>,
  endpoints: Readonly<Record<string, string>>,
): Promise<Omit<Instance, 'request'>> {
  const proxies: DroppingProxy[] = [];
  const proxied: Record<string, string> = {};
  for (const [variable, endpoint] of Object.entries(endpoints)) {
    const proxy = opened.use(await openDroppingProxy(endpoint));
    proxies.push(proxy);
    proxied[variable] = proxy.endpoint;
  }
  // SQS is reached at the host of the queue's URL
  const QUEUE_URL = `${proxied.AWS_ENDPOINT_URL_SQS}${new URL(sqs.url).pathname}`;
  const process = new FunctionProcess(join(bundles, name, 'index.mjs'), { ...environment, ...proxied, QUEUE_URL });
  opened.defer(() => process.end());
  return { process, proxies };
}

async function startEndpoint(name: string, requests: readonly TestRequest[]): Promise<Instance> {
  const environment = stage.definition.functions.find((one) => one.name === name)?.environment ?? {};
  const started = await start(name, environment, {
    AWS_ENDPOINT_URL_DYNAMODB: stage.endpoint,
    AWS_ENDPOINT_URL_KMS: stage.environment.AWS_ENDPOINT_URL_KMS ?? '',
  });
  const events = requests.map(({ headers = [], ...request }) =>
    gatewayEvent({ ...request, headers: [...headers, ['Ocp-Apim-Subscription-Key', 'ecap_demo_agency']] }),
  );
  return { ...started, request: () => started.process.invoke(events.shift() ?? {}) };
}

async function startIngestion(): Promise<Instance> {
  const { tableName, endpoint } = await engine.createTable();
  const environment = {
    TABLE_NAME: tableName,
    BUCKET_NAME: BUCKET,
    TIME_ZONE: 'UTC',
    PRODUCT_IDS: 'upc',
    ...{ CURRENCY: 'USD', ATTRIBUTION: '{}' },
    USER_ID_KEY: KEY_ID,
    LOAD_RULES: '{"successMarker":true}',
  };
  const started = await start('ingest-folder', environment, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_S3: objects.endpoint,
    AWS_ENDPOINT_URL_SQS: sqs.endpoint,
  });
  using folder = folderOf({ ...NETWORK, ...FACTS });
  const messages = ['first/', 'second/'].map((prefix) =>
    JSON.stringify(readyEvent(putReady(objects, prefix, putFiles(objects, folder.path, prefix)))),
  );
  const queue = new FifoQueue({ visibilityTimeout: 5_400, maxReceiveCount: MAX_ATTEMPTS });
  sqs.queue = queue;
  return {
    ...started,
    request: async () => {
      const body = messages.shift() ?? '';
      queue.send(body, body); // in a group of its own, because nobody deletes the message before
      const message = queue.receive();
      if (message === undefined) throw new Error('the queue is empty');
      return started.process.invoke(queueEvent(message));
    },
  };
}

const reportBy = (dimension: string): TestRequest => ({
  method: 'POST',
  resource: '/report/{experience_name}',
  pathParameters: { experience_name: 'pla' },
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ ...GOOD_REPORT, startDate: '2025-12-05', endDate: '2026-02-27', dimensions: [dimension] }),
});
const LISTING: TestRequest = { resource: '/metadata/accounts' };
const TOKEN: TestRequest = { resource: '/jwt' };

const ENDPOINTS = {
  listing: () => startEndpoint('list-accounts', [LISTING, LISTING]),
  report: () => startEndpoint('submit-report', [reportBy('keyword'), reportBy('placement')]),
  token: () => startEndpoint('get-jwt', [TOKEN, TOKEN]),
};

const RESPONDED = { statusCode: 200 };
const PROCESSED = { batchItemFailures: [] };

describe.each<Drop>(['reset', 'silent'])('connections dropped while a function was frozen (%s)', (how) => {
  /** Freezes each function after one request. @returns by function, the result of the next request, and how many packets were lost */
  async function requestAfter(pauseMs: number, functions: Readonly<Record<string, () => Promise<Instance>>>) {
    const starting = Object.entries(functions).map(async ([name, startOne]) => [name, await startOne()] as const);
    const instances = await Promise.all(starting);
    await Promise.all(instances.map(([, { request }]) => request()));
    for (const [, { process, proxies }] of instances) {
      process.freeze();
      for (const proxy of proxies) proxy.drop(how);
    }
    await sleep(pauseMs);
    for (const [, { process }] of instances) process.thaw();
    const results = instances.map(async ([name, { request, proxies }]) => {
      const result = await request();
      return [name, { result, lost: proxies.reduce((sum, { lost }) => sum + lost, 0) }] as const;
    });
    return Object.fromEntries(await Promise.all(results));
  }

  /** Each attempt of a call took another dead connection: reports got 503, or after 12 s where nothing is reset. */
  test('are not used if it was frozen for more than ten seconds', async () => {
    expect(await requestAfter(LONG_MS, { ...ENDPOINTS, ingestion: startIngestion })).toEqual({
      listing: { result: expect.objectContaining(RESPONDED), lost: 0 },
      report: { result: expect.objectContaining(RESPONDED), lost: 0 },
      token: { result: expect.objectContaining(RESPONDED), lost: 0 },
      ingestion: { result: PROCESSED, lost: 0 },
    });
  });

  test('are used by one attempt at most of each call if it was frozen for less', async () => {
    const found = await requestAfter(SHORT_MS, ENDPOINTS);
    expect(found).toMatchObject({
      listing: { result: RESPONDED },
      report: { result: RESPONDED },
      token: { result: RESPONDED },
    });
    expect(Object.values(found).filter(({ lost }) => lost === 0)).toEqual([]);
  });
});
