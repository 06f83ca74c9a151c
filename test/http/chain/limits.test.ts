import { describe, expect, test, vi } from 'vitest';
import type { Admission } from '../../../shared/identity/limits/key-limiter.ts';
import { ApiError } from '../../../shared/lib/errors.ts';
import { call } from '../support/gateway-event.ts';
import { KEY, outcome, testEndpoint, UNLIMITED, useLog } from './endpoints.ts';

const log = useLog();
const EXCEEDED = { reason: 'The API key may run 2 reports at the same time.', retryAfterS: 1 };

/** @returns an endpoint whose requests are admitted as given; it counts its calls */
function limitedEndpoint(admission: Partial<Admission>, scope: 'report' | 'metadata' = 'report') {
  const calls = { handled: 0, aborted: 0 };
  const endpoint = testEndpoint(
    {
      scope,
      input: {},
      handle: async ({ context }) => {
        calls.handled += 1;
        context.signal.addEventListener('abort', () => {
          calls.aborted += 1;
        });
        return { body: {} };
      },
    },
    { admit: async () => ({ ...UNLIMITED, ...admission }) },
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

test('a report that is rejected while it runs gets 429, and the signal of its handler aborts', async () => {
  const { endpoint, calls } = limitedEndpoint({
    runReport: async (work) => {
      const rejected = new AbortController();
      await work(rejected.signal, () => undefined);
      rejected.abort();
      return EXCEEDED;
    },
  });
  const response = await call(endpoint, { headers: [KEY] });
  expect([outcome(response), response.headers['Retry-After']]).toEqual([[429, 'TOO_MANY_REQUESTS'], '1']);
  expect(calls).toEqual({ handled: 1, aborted: 1 });
});

test('a report can say how long it will take, so that a long one counts before it computes', async () => {
  const expected: number[] = [];
  const admit = async (): Promise<Admission> => ({
    ...UNLIMITED,
    runReport: (work) => work(new AbortController().signal, (ms) => void expected.push(ms)),
  });
  const handle: Parameters<typeof testEndpoint>[0]['handle'] = async ({ context }) => {
    context.expectMs(700);
    return { body: {} };
  };
  await call(testEndpoint({ scope: 'report', input: {}, handle }, { admit }), { headers: [KEY] });
  await call(testEndpoint({ scope: 'metadata', input: {}, handle }, { admit }), { headers: [KEY] });
  expect(expected).toEqual([700]);
});

test('only reports count as concurrent reports', async () => {
  const { endpoint, calls } = limitedEndpoint({ runReport: async () => EXCEEDED }, 'metadata');
  expect(outcome(await call(endpoint, { headers: [KEY] }))).toBe(200);
  expect(calls.handled).toBe(1);
});

test('the read units of every request are charged, those of rejected requests too', async () => {
  const charged: number[] = [];
  const { endpoint } = limitedEndpoint({ charge: async (units) => void charged.push(units) });
  await call(endpoint, { headers: [KEY] });
  await call(endpoint, { headers: [KEY, ['Authorization', 'Bearer bad']] });
  expect(charged).toEqual([1, 1]); // the identity of these tests reads one unit
});

test('a handler charges what it has read, and the end of the request only the rest', async () => {
  const charged: number[] = [];
  const admission = { ...UNLIMITED, charge: async (units: number) => void charged.push(units) };
  const endpoint = testEndpoint(
    {
      scope: 'report',
      input: {},
      handle: async ({ context }) => {
        context.meter.readUnits += 70;
        await context.charge();
        context.meter.readUnits += 3;
        return { body: {} };
      },
    },
    { admit: async () => admission },
  );
  await call(endpoint, { headers: [KEY] });
  expect(charged).toEqual([71, 3]);
});

describe('the limits of the key are in the headers of', () => {
  const RateLimit = '"requests";r=4;t=7';
  const admitAs =
    (admission: Partial<Admission> = {}) =>
    async () => ({ ...UNLIMITED, headers: () => ({ RateLimit }), ...admission });
  const respondBy = (handle: () => Promise<never>, admission?: Partial<Admission>) =>
    testEndpoint({ scope: 'report', input: {}, handle }, { admit: admitAs(admission) });

  test.each<[number, string, ReturnType<typeof respondBy>]>([
    [429, 'of a report that is rejected while it runs', respondBy(vi.fn(), { runReport: async () => EXCEEDED })],
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
