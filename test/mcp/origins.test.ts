import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
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

/** Headers that browsers add or always allow. */
const SAFE = new Set(['accept', 'content-length', 'user-agent']);

test.each(['legacy', 'auto'] as const)('preflights allow what a client in a page sends: %s', async (mode) => {
  const { headers } = await call(handler, {
    ...{ method: 'OPTIONS', resource: '/mcp' },
    headers: [
      ['Origin', ORIGIN],
      ['Access-Control-Request-Method', 'POST'],
    ],
  });
  const allowed = new Set(String(headers['Access-Control-Allow-Headers']).toLowerCase().split(', '));
  const sent = new Set<string>();
  const client = new Client({ name: 'page', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('https://api.example/v2/mcp'), {
    requestInit: { headers: { 'Ocp-Apim-Subscription-Key': 'key-ana' } },
    fetch: async (_, init) => {
      const given = [...new Headers(init?.headers)];
      for (const [name] of given) sent.add(name);
      const response = await call(handler, {
        ...{ method: init?.method ?? 'GET', resource: '/mcp', body: String(init?.body ?? '') },
        headers: [...given, ['Origin', ORIGIN]],
      });
      const { status, text } = response;
      return new Response(text === '' ? null : text, { status, headers: { 'Content-Type': 'application/json' } });
    },
  });
  await client.connect(transport);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  expect([...sent].filter((name) => !SAFE.has(name) && !allowed.has(name))).toEqual([]);
  expect(sent.size).toBeGreaterThan(2);
});
