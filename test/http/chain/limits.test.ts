import { describe, expect, test, vi } from 'vitest';
import type { Admission } from '../../../shared/identity/key-limiter.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import { call } from '../support/gateway-event.ts';
import { KEY, outcome, testEndpoint, UNLIMITED, useLog } from './endpoints.ts';

const log = useLog();
const EXCEEDED = { reason: 'The API key may run 2 reports at the same time.', retryAfterS: 1 };

/** @returns an endpoint whose requests are admitted as given; it counts its calls */
function limitedEndpoint(admission: Partial<Admission>) {
  const calls = { handled: 0, started: 0 };
  const endpoint = testEndpoint(
    {
      scope: 'report',
      input: {},
      handle: async ({ context }) => {
        calls.handled += 1;
        await context.expectMs(700);
        calls.started += 1;
        return { body: {} };
      },
    },
    { admit: () => ({ ...UNLIMITED, ...admission }) },
  );
  return { endpoint, calls };
}

test('a request beyond a limit of its key gets 429, before its token is verified and its handler is called', async () => {
  const headers = () => ({ RateLimit: '"requests";r=0;t=7' });
  const rejection = { reason: 'The API key may make 5 requests per minute.', retryAfterS: 7 };
  const { endpoint, calls } = limitedEndpoint({ rejection, headers });
  const response = await call(endpoint, { headers: [KEY, ['Authorization', 'Bearer bad']] });
  expect(outcome(response)).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect(response.headers).toMatchObject({ 'Retry-After': '7', RateLimit: '"requests";r=0;t=7' });
  expect(calls.handled).toBe(0);
  expect(log.lines.at(-1)).toMatchObject({ status: 429, code: 'TOO_MANY_REQUESTS', userId: 'ana' });
});

test('a report that would be one too many gets 429 before it computes', async () => {
  const { endpoint, calls } = limitedEndpoint({ startReport: async () => EXCEEDED });
  const response = await call(endpoint, { headers: [KEY] });
  expect([outcome(response), response.headers['Retry-After']]).toEqual([[429, 'TOO_MANY_REQUESTS'], '1']);
  expect(calls).toEqual({ handled: 1, started: 0 });
});

test.each([
  [0, [0, 59, 59]],
  [1, [0, 59, 60, 700]],
])('a report counts as running once (%i), from the first estimate of 60 ms on', async (count, estimates) => {
  const startReport = vi.fn(async () => undefined);
  const handle: Parameters<typeof testEndpoint>[0]['handle'] = async ({ context }) => {
    for (const ms of estimates) await context.expectMs(ms);
    return { body: {} };
  };
  const admit = () => ({ ...UNLIMITED, startReport });
  await call(testEndpoint({ scope: 'report', input: {}, handle }, { admit }), { headers: [KEY] });
  expect(startReport).toHaveBeenCalledTimes(count);
});

test('the read units of every request are counted, those of rejected requests too', async () => {
  const counted: number[] = [];
  const { endpoint } = limitedEndpoint({ end: async (units) => void counted.push(units) });
  await call(endpoint, { headers: [KEY] });
  await call(endpoint, { headers: [KEY, ['Authorization', 'Bearer bad']] });
  expect(counted).toEqual([1, 1]); // the identity of these tests reads one unit
});

describe('the limits of the key are in the headers of', () => {
  const RateLimit = '"requests";r=4;t=7';
  const admitAs =
    (admission: Partial<Admission> = {}) =>
    () => ({ ...UNLIMITED, headers: () => ({ RateLimit }), ...admission });
  const respondBy = (handle: () => Promise<never>, admission?: Partial<Admission>) =>
    testEndpoint({ scope: 'report', input: {}, handle }, { admit: admitAs(admission) });

  test.each<[number, string, ReturnType<typeof respondBy>]>([
    [429, 'beyond a limit', respondBy(() => Promise.reject(new Error('not called')), { rejection: EXCEEDED })],
    [
      500,
      'after an unexpected error',
      respondBy(async () => {
        throw new Error('unexpected');
      }),
    ],
    [
      503,
      'because the store is busy',
      respondBy(async () => {
        throw new ApiError('STORE_BUSY', 'The store is busy.');
      }),
    ],
  ])('a %i %s', async (status, _, endpoint) => {
    const response = await call(endpoint, { headers: [KEY] });
    expect([response.status, response.headers.RateLimit]).toEqual([status, RateLimit]);
  });

  test('a 504 after the key was admitted', async () => {
    const handle = () => {
      const end = performance.now() + 28_000;
      vi.spyOn(performance, 'now').mockReturnValue(end);
      return new Promise<never>(() => {});
    };
    const response = await call(respondBy(handle), { headers: [KEY] });
    expect([outcome(response), response.headers.RateLimit]).toEqual([[504, 'DEADLINE_EXCEEDED'], RateLimit]);
  });
});
