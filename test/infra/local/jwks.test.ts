import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestStage, type TestStage } from '../../support/stage.ts';

let stage: TestStage;
beforeAll(async () => {
  stage = await startTestStage({ demo: true });
});
afterAll(() => stage.close());

const KEY = { 'Ocp-Apim-Subscription-Key': 'ecap_demo_agency' };

test('others can verify the tokens with the public keys alone, which need no API key and may be cached', async () => {
  const url = await stage.url();
  const issued = await stage.request({ url: '/v2/jwt', headers: KEY });
  const { token } = Object(issued.json());
  const keys = createRemoteJWKSet(new URL(`${url}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ['ES256'],
    audience: 'endcap',
    issuer: 'urn:endcap:Endcap',
  });
  expect(payload).toMatchObject({ sub: 'demo-agency', userType: 'AGENCY' });
  const published = await stage.request('/v2/.well-known/jwks.json');
  expect(published.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'public, max-age=300',
  });
  expect(published.headers['ratelimit-policy']).toBeUndefined();
  expect(published.json()).toEqual({
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: protectedHeader.kid,
        alg: 'ES256',
        use: 'sig',
      },
    ],
  });
  await expect(jwtVerify(`${token.slice(0, -8)}AAAAAAAA`, keys)).rejects.toThrow('signature verification failed');
});

test('the public keys can only be read with GET, and errors are problems that must not be cached', async () => {
  const response = await stage.request({ method: 'POST', url: '/v2/.well-known/jwks.json' });
  expect(response.status).toBe(405);
  expect(response.headers).toMatchObject({ allow: 'GET', 'cache-control': 'no-store' });
  expect(response.json()).toMatchObject({ code: 'METHOD_NOT_ALLOWED' });
});
