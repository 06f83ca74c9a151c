import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGatewayServer } from '../../../infra/emulator/gateway-server.ts';
import type { StageDefinition } from '../../../infra/emulator/template/stage-definition.ts';
import { gatewayCorsHeaders } from '../../../infra/stack/gateway-responses.ts';
import { type LocalStage, openLocalStage, readStageDefinition } from '../../../infra/start/local-stage.ts';

const ORIGIN = 'https://dashboard.example.com';

let stage: LocalStage;
let server: ReturnType<typeof createGatewayServer>;
beforeAll(async () => {
  stage = await openLocalStage(allowing(await readStageDefinition(), [ORIGIN]));
  server = createGatewayServer(stage.gateway);
});
afterAll(async () => {
  await server.close();
  await stage.close();
});

/** @returns the stage as it is with the setting `corsOrigins`: the setting changes the variable and the headers, as `stack/api.test.ts` asserts */
function allowing(definition: StageDefinition, origins: readonly string[]): StageDefinition {
  const functions = [...definition.functions].map(([name, own]) => {
    const environment = { ...own.environment, CORS_ORIGINS: JSON.stringify(origins) };
    return [name, { ...own, environment }] as const;
  });
  const gatewayResponses = [...definition.gatewayResponses].map(([type, own]) => {
    return [type, { ...own, headers: { ...own.headers, ...gatewayCorsHeaders(origins) } }] as const;
  });
  return { ...definition, functions: new Map(functions), gatewayResponses: new Map(gatewayResponses) };
}

const send = async (method: 'GET' | 'OPTIONS', url: string, origin: string) => {
  const preflight = method === 'OPTIONS' ? { 'Access-Control-Request-Method': 'GET' } : {};
  const { status, headers } = await server.request({ method, url, headers: { Origin: origin, ...preflight } });
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
