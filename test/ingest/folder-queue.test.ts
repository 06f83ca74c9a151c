import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FolderMessage, FolderQueue, MAX_ATTEMPTS, parseQueueEvent } from '../../shared/ingest/folder-queue.ts';
import { FifoQueue, queueEvent } from './support/fifo-queue.ts';
import { useQueueServer } from './support/queue-server.ts';

const server = useQueueServer();
let queue: FolderQueue;
let message: FolderMessage;
let errors: unknown[];
beforeEach(() => {
  errors = [];
  const fifo = new FifoQueue({ visibilityTimeout: 5_400, maxReceiveCount: MAX_ATTEMPTS });
  fifo.send('{}', 'folders');
  const delivery = fifo.receive();
  if (delivery === undefined) throw new Error('the queue is empty');
  server.queue = fifo;
  message = parseQueueEvent(queueEvent(delivery));
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', server.endpoint);
  queue = new FolderQueue({ url: server.url, region: 'us-east-1' });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const hold = () => queue.hold(message, (error) => errors.push(error));

describe('a message that is held', () => {
  test('is invisible for three minutes, which start again every minute until it is released', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const release = await hold();
    expect(server.visibilities).toEqual([180]);
    vi.advanceTimersByTime(60_000);
    await expect.poll(() => server.visibilities).toEqual([180, 180]);
    vi.advanceTimersByTime(60_000);
    await release(120);
    expect(vi.getTimerCount()).toBe(0);
    expect({ visibilities: server.visibilities, errors }).toEqual({ visibilities: [180, 180, 180, 120], errors: [] });
  });

  test('is left to Lambda, which deletes it, when it was processed', async () => {
    await (await hold())();
    expect(server.visibilities).toEqual([180]);
  });

  test('is held although SQS rejects the first two requests', async () => {
    server.faults.push(503, 500);
    await (await hold())();
    expect({ visibilities: server.visibilities, errors }).toEqual({ visibilities: [180], errors: [] });
  });

  test('keeps the visibility timeout of the queue if SQS rejects the request, which is reported', async () => {
    server.faults.push(403);
    await (await hold())();
    expect(server.visibilities).toEqual([]);
    expect(errors.map(String)).toEqual(['Injected: UnknownError']);
  });
});

/** @returns the message of an event for this attempt to process it */
function parseAttempt(attempt: number): FolderMessage {
  const attributes = { ApproximateReceiveCount: String(attempt) };
  return parseQueueEvent({ Records: [{ messageId: 'm', receiptHandle: 'r', body: '{}', attributes }] });
}

test.each([
  [1, 60],
  [2, 120],
  [3, 240],
  [4, 240],
])('after attempt %i, the next one begins in %i seconds', (attempt, retryInSeconds) => {
  expect(parseAttempt(attempt)).toEqual({ id: 'm', receiptHandle: 'r', body: '{}', retryInSeconds });
});

test('after the last attempt, there is no next one', () => {
  expect([MAX_ATTEMPTS - 1, MAX_ATTEMPTS, MAX_ATTEMPTS + 1].map((n) => parseAttempt(n).retryInSeconds)).toEqual([
    240,
    undefined,
    undefined,
  ]);
});

test.each([
  ['of EventBridge', { source: 'aws.s3', detail: {} }],
  ['without a message', { Records: [] }],
])('an event %s is an error', (_, event) => {
  expect(() => parseQueueEvent(event)).toThrow();
});
