import { describe, expect, test, vi } from 'vitest';
import { PROBLEMS } from '../../../shared/lib/errors.ts';
import { call, type TestResponse, withoutIds } from '../support/gateway-event.ts';
import { BEARER, get, KEY, outcome, testEndpoint, UNLIMITED, useLog } from './endpoints.ts';

const log = useLog();

test('a response has the headers that all responses have', async () => {
  const { headers, body } = await call(get, { headers: [KEY], requestId: 'r-2', query: [['n', '5']] });
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Content-Type-Options': 'nosniff',
    'x-request-id': 'r-2',
  });
  expect(body).toEqual({ user: 'ana', n: '5', claims: null, path: '/v2/metadata/accounts' });
});

test('an unexpected error is logged with its cause, and the response has none of its details', async () => {
  const broken = testEndpoint({
    input: {},
    handle: async () => {
      throw new Error('internal detail', { cause: new TypeError('deeper') });
    },
  });
  const response = await call(broken, { headers: [KEY], requestId: 'r-3' });
  expect(response.status).toBe(500);
  expect(withoutIds(response.body)).toEqual({
    type: '/v2/problems/internal-error',
    title: 'Something went wrong on our side',
    status: 500,
    detail: 'Something went wrong on our side. Quote request r-3 when you report it.',
    instance: '/v2/metadata/accounts',
    code: 'INTERNAL_ERROR',
    errors: [],
    statusCode: 500,
    message: 'Something went wrong on our side. Quote request r-3 when you report it.',
  });
  expect(log.lines[0]).toMatchObject({
    level: 'ERROR',
    requestId: 'r-3',
    error: {
      name: 'Error',
      message: 'internal detail',
      stack: expect.stringContaining('response.test.ts'),
      cause: { name: 'TypeError', message: 'deeper' },
    },
  });
});

test('a request is logged as one line, without key, token and query', async () => {
  await call(get, {
    requestId: 'r-4',
    headers: [KEY, BEARER],
    query: [
      ['subscription-key', 'good'],
      ['n', 'private'],
    ],
  });
  expect(log.lines).toEqual([
    {
      timestamp: expect.any(String),
      level: 'INFO',
      message: 'request',
      requestId: 'r-4',
      lambdaRequestId: 'l-1',
      coldStart: expect.any(Boolean),
      route: 'GET /metadata/accounts',
      status: 200,
      latencyMs: expect.any(Number),
      readUnits: 1,
      writeUnits: 0,
      storeCalls: 0,
      userId: 'ana',
      functionName: 'the-function',
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [{ Namespace: 'Endcap', Dimensions: [['functionName']], Metrics: [{ Name: 'readUnits' }] }],
      },
    },
  ]);
});

test('a request is logged before its read units are charged, which may have to wait for the table', async () => {
  const linesAtCharge: number[] = [];
  const admit = () => ({ ...UNLIMITED, end: async () => void linesAtCharge.push(log.lines.length) });
  await call(testEndpoint({ input: {}, handle: async () => ({ body: {} }) }, { admit }), { headers: [KEY] });
  expect(linesAtCharge).toEqual([1]);
});

describe('3 s before the function ends, the response is 504', () => {
  const REMAINING_MS = 3_050; // 50 ms for the handler
  const never = new Promise<never>(() => {});
  const handle = async () => ({ body: {} });

  test('and the handler’s signal is aborted', async () => {
    let isAborted = false;
    const slow = testEndpoint({
      input: {},
      handle: ({ context }) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => {
            isAborted = true;
            reject(context.signal.reason);
          });
        }),
    });
    const response = await call(slow, { headers: [KEY] }, REMAINING_MS);
    expect(outcome(response)).toEqual([504, 'DEADLINE_EXCEEDED']);
    expect(isAborted).toBe(true);
  });

  test('even if the handler ignores the signal', async () => {
    const deaf = testEndpoint({ input: {}, handle: () => never });
    expect(outcome(await call(deaf, { headers: [KEY] }, REMAINING_MS))).toEqual([504, 'DEADLINE_EXCEEDED']);
  });

  test('even if the handler never yields to a timer, as long as it checks the deadline; and the log has one line, without an unexpected error', async () => {
    const busy = testEndpoint({
      input: {},
      handle: async ({ context }) => {
        for (;;) context.deadline.check();
      },
    });
    expect(outcome(await call(busy, { headers: [KEY] }, REMAINING_MS))).toEqual([504, 'DEADLINE_EXCEEDED']);
    expect(log.lines).toEqual([
      expect.objectContaining({ message: 'request', status: 504, code: 'DEADLINE_EXCEEDED', userId: 'ana' }),
    ]);
  });

  test('if the caller has not been found by then', async () => {
    const lost = testEndpoint({ input: {}, handle }, { findCaller: () => never });
    expect(outcome(await call(lost, { headers: [KEY] }, REMAINING_MS))).toEqual([504, 'DEADLINE_EXCEEDED']);
  });

  test('and is logged and sent before the function ends, even if its read units cannot be charged', async () => {
    const admit = () => ({ ...UNLIMITED, end: () => never });
    const endpoint = testEndpoint({ input: {}, handle: () => never }, { admit });
    const sent: TestResponse[] = [];
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }); // that of the handler's 50 ms is one of node:timers
    try {
      void call(endpoint, { headers: [KEY] }, REMAINING_MS).then((response) => sent.push(response));
      await expect.poll(() => log.lines).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(2_999);
    } finally {
      vi.useRealTimers();
    }
    expect(sent.map(outcome)).toEqual([[504, 'DEADLINE_EXCEEDED']]);
    expect(log.lines).toEqual([expect.objectContaining({ message: 'request', status: 504, userId: 'ana' })]);
  });

  test('if the token has not been verified by then', async () => {
    const unverified = testEndpoint({ input: {}, handle }, { verifyToken: () => never });
    const response = await call(unverified, { headers: [KEY, BEARER] }, REMAINING_MS);
    expect(outcome(response)).toEqual([504, 'DEADLINE_EXCEEDED']);
  });
});

test('the log line of a rejected key names its first characters and the address, which the alarms count', async () => {
  const key = `ecap_${'x'.repeat(49)}`;
  await call(get, { headers: [['Ocp-Apim-Subscription-Key', key]] });
  await call(get, { headers: [KEY] });
  expect(log.lines).toEqual([
    expect.objectContaining({ status: 401, code: 'KEY_INVALID', keyPrefix: 'ecap_xxxx', sourceIp: expect.any(String) }),
    expect.not.objectContaining({ sourceIp: expect.anything() }),
  ]);
  expect(JSON.stringify(log.lines)).not.toContain('ecap_xxxxx');
});

test('every problem has a title of its own, and a status between 400 and 599', () => {
  const statuses = Object.values(PROBLEMS).map(({ status }) => status);
  expect(statuses.every((status) => status >= 400 && status < 600)).toBe(true);
  expect(new Set(Object.values(PROBLEMS).map(({ title }) => title)).size).toBe(statuses.length);
});
