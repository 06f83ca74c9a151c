import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect } from 'vitest';
import { bodyOf, type Case, type Earlier, type Suite } from './suite.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const tokenOf = (earlier: Earlier) => String(bodyOf(earlier('a request for a token')).token);

const cases: Case[] = [
  {
    name: 'a request for a token',
    request: { path: '/jwt', as: 'agency' },
    status: 200,
    check: (response) => {
      const { token, tokenType } = bodyOf(response);
      const [header = ''] = String(token).split('.');
      const { alg, typ } = JSON.parse(Buffer.from(header, 'base64url').toString());
      expect({ tokenType, alg, typ }).toEqual({ tokenType: 'Bearer', alg: 'ES256', typ: 'JWT' });
    },
  },
  { name: 'a request for claims without a token', request: { path: '/jwt/claims', as: 'agency' }, status: 200 },
  {
    name: 'a request for the claims of a token',
    request: (_, earlier) => ({ path: '/jwt/claims', as: 'agency', headers: bearer(tokenOf(earlier)) }),
    status: 200,
    check: (response, earlier) => {
      const payload = tokenOf(earlier).split('.')[1] ?? '';
      expect(bodyOf(response)).toEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    },
  },
  {
    name: 'a listing with key and token',
    request: (_, earlier) => ({ path: '/metadata/accounts', as: 'agency', headers: bearer(tokenOf(earlier)) }),
    status: 200,
  },
  {
    name: 'a token without a key',
    request: (_, earlier) => ({ path: '/metadata/accounts', headers: bearer(tokenOf(earlier)) }),
    status: 401,
    code: 'KEY_MISSING',
  },
  {
    name: 'a token with a damaged signature',
    request: (_, earlier) => ({
      path: '/jwt/claims',
      as: 'agency',
      headers: bearer(tokenOf(earlier).replace(/.{8}$/, 'AAAAAAAA')),
    }),
    status: 401,
    code: 'TOKEN_INVALID',
  },
  {
    name: 'another user’s token',
    request: (_, earlier) => ({ path: '/jwt/claims', as: 'cpg', headers: bearer(tokenOf(earlier)) }),
    status: 401,
    code: 'TOKEN_INVALID',
    keys: ['cpg'],
  },
];

cases.push({
  name: 'a request for the public keys without a key',
  request: { path: '/.well-known/jwks.json' },
  status: 200,
  check: (response, earlier) => {
    const { keys } = bodyOf(response);
    const [header = '', payload = '', signature = ''] = tokenOf(earlier).split('.');
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
    const published: JsonWebKey[] = Array.isArray(keys) ? keys : [];
    const [key] = published.filter((jwk) => Object(jwk).kid === kid);
    if (key === undefined) throw new Error('the key of the token is not published');
    const isValid = verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    expect(isValid).toBe(true);
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
    });
    expect(response.headers['ratelimit-policy']).toBeUndefined();
  },
});

export const tokens: Suite = { name: 'tokens', cases };
