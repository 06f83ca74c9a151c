import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../infra/config/settings.ts';
import { createGatewayServer } from '../../../infra/local/emulator/gateway/gateway-server.ts';
import { openLocalStage } from '../../../infra/local/local-stage.ts';
import { inject } from '../../support/gateway-server.ts';

const ORIGIN = 'https://dashboard.example.com';

let stage: Awaited<ReturnType<typeof openLocalStage>>;
let server: ReturnType<typeof createGatewayServer>;
beforeAll(async () => {
  stage = await openLocalStage({ settings: readSettings({ corsOrigins: [ORIGIN] }) });
  server = createGatewayServer(stage.gateway);
});
afterAll(async () => {
  await server.close();
  await stage.close();
});

const send = async (method: 'GET' | 'OPTIONS', url: string, origin: string) => {
  const preflight = method === 'OPTIONS' ? { 'Access-Control-Request-Method': 'GET' } : {};
  const { status, headers } = await inject(server, { method, url, headers: { Origin: origin, ...preflight } });
  return [status, headers['access-control-allow-origin']];
};

describe('on the local stage, with the setting corsOrigins', () => {
  test.each(['/v2/metadata/accounts', '/v2/metadata/fields', '/v2/jwt', '/v2/.well-known/jwks.json'])(
    'preflights to %s pass the gateway and succeed for the origin, but not for others',
    async (url) => {
      expect(await send('OPTIONS', url, ORIGIN)).toEqual([204, ORIGIN]);
      expect(await send('OPTIONS', url, 'https://evil.example.com')).toEqual([405, undefined]);
    },
  );

  test('errors of functions and of the gateway itself can be read by scripts of the origin', async () => {
    expect(await send('GET', '/v2/metadata/accounts', ORIGIN)).toEqual([401, ORIGIN]);
    expect(await send('GET', '/v2/no/such/path', ORIGIN)).toEqual([404, ORIGIN]);
  });
});
