import { afterAll, describe, expect, test } from 'vitest';
import { createKey } from '../../shared/identity/api-keys.ts';
import { openTestService } from './support/test-service.ts';

const service = await openTestService();
const instance = await service.start();
afterAll(() => service.close());

await createKey(service.table, 'ana', { key: 'limited', requestsPerMinute: 40, dailyReadUnits: 1_000_000 });
await createKey(service.table, 'carl', { key: 'few-units', dailyReadUnits: 20 });
await createKey(service.table, 'zoe', { key: 'one-report', concurrentReports: 1 });

await createKey(service.table, 'nobody', { key: 'one-scope', scopes: ['metadata'], requestsPerMinute: 20 });

const send = (key: string, query: readonly (readonly [string, string])[] = []) =>
  instance.send('list-contacts', { key, query: [['account_id', '1'], ...query] });

describe('a key with limits', () => {
  test('gets 429 with Retry-After beyond its requests per minute, and other keys do not', async () => {
    const responses = [];
    for (let request = 0; request < 90; request += 1) responses.push(await send('limited'));
    const rejected = responses.filter(({ status }) => status === 429);
    // the test may run across the start of a minute, which allows the requests of another one
    expect(90 - rejected.length).toBeGreaterThanOrEqual(32);
    expect(rejected.length).toBeGreaterThan(0);
    const [first] = rejected;
    expect(first?.body).toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      detail: 'The API key may make 40 requests per minute. Try again after the time in Retry-After.',
    });
    expect(Number(first?.headers['Retry-After'])).toBeGreaterThan(0);
    expect(Number(first?.headers['Retry-After'])).toBeLessThanOrEqual(60);
    expect(first?.headers.RateLimit).toMatch(/^"requests";r=0;t=\d+, "read-units";r=\d+;t=\d+$/);
    expect((await send('key-carl')).status).toBe(200);
  });

  test('gets 429 until the next day when its read units are used', async () => {
    const statuses = [];
    for (let request = 0; request < 60; request += 1) statuses.push((await send('few-units')).status);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses.at(-1)).toBe(429);
    expect((await send('few-units')).body).toMatchObject({
      detail: 'The API key has used its 20 read units of this day (UTC). Try again after the time in Retry-After.',
    });
  });

  test('is limited in requests that it does not allow, too, which do not reduce the others', async () => {
    const outcomes = [];
    for (let request = 0; request < 60; request += 1) {
      const { status, body } = await instance.send('get-jwt', { key: 'one-scope' });
      outcomes.push(`${status} ${Object(body).code}`);
    }
    expect(outcomes[0]).toBe('403 SCOPE_FORBIDDEN');
    expect(outcomes).toContain('429 TOO_MANY_REQUESTS');
    expect((await instance.send('list-placements', { key: 'one-scope' })).headers.RateLimit).toMatch(
      /^"requests";r=19;/,
    );
  });

  test('sees its limits in every response, errors included', async () => {
    const policy = '"reports";q=1;qu="concurrent-requests"';
    const { headers } = await instance.send('list-placements', { key: 'one-report' });
    const error = await instance.send('list-placements', { key: 'one-report', query: [['size', '0']] });
    expect([headers['RateLimit-Policy'], error.status, error.headers['RateLimit-Policy']]).toEqual([
      policy,
      422,
      policy,
    ]);
    const unknown = await instance.send('list-placements', { key: 'unknown' });
    expect(unknown.headers['RateLimit-Policy']).toBeUndefined();
  });
});
