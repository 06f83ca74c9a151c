import { afterAll, expect, test, vi } from 'vitest';
import { openPlatform } from '../../shared/identity/platform.ts';
import { call } from '../http/support/gateway-event.ts';
import { openTestService } from '../http/support/test-service.ts';

const ORIGIN = 'https://planner.example';

const service = await openTestService();
vi.stubEnv('CORS_ORIGINS', JSON.stringify([ORIGIN]));
const { create } = await import('../../functions/serve-mcp.ts');
const handler = create(openPlatform());
afterAll(() => service.close());

const pingFrom = (origin: string) =>
  call(handler, {
    ...{ method: 'POST', resource: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) },
    headers: [
      ['Ocp-Apim-Subscription-Key', 'key-ana'],
      ['Content-Type', 'application/json'],
      ['Origin', origin],
    ],
  });

test('pages of the origins in corsOrigins may call the tools, others may not', async () => {
  const { status, headers, body } = await pingFrom(ORIGIN);
  expect([status, headers['Access-Control-Allow-Origin'], body]).toEqual([
    200,
    ORIGIN,
    expect.objectContaining({ result: {} }),
  ]);
  expect((await pingFrom('https://evil.example')).status).toBe(403);
});
