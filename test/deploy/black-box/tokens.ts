import { expect } from 'vitest';
import { bodyOf, type Case, type Earlier, type Suite } from './suite.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const tokenOf = (earlier: Earlier) => String(bodyOf(earlier('a token')).token);

const cases: Case[] = [
  {
    name: 'a token',
    ask: { path: '/jwt', as: 'agency' },
    status: 200,
    check: (reply) => {
      const { token, tokenType } = bodyOf(reply);
      const [header = ''] = String(token).split('.');
      const { alg, typ } = JSON.parse(Buffer.from(header, 'base64url').toString());
      expect({ tokenType, alg, typ }).toEqual({ tokenType: 'Bearer', alg: 'ES256', typ: 'JWT' });
    },
  },
  { name: 'claims without a token', ask: { path: '/jwt/claims', as: 'agency' }, status: 200 },
  {
    name: 'claims of the token that is sent',
    ask: (_, earlier) => ({ path: '/jwt/claims', as: 'agency', headers: bearer(tokenOf(earlier)) }),
    status: 200,
    check: (reply, earlier) => {
      const payload = tokenOf(earlier).split('.')[1] ?? '';
      expect(bodyOf(reply)).toEqual(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    },
  },
  {
    name: 'a listing with a token',
    ask: (_, earlier) => ({ path: '/metadata/accounts', as: 'agency', headers: bearer(tokenOf(earlier)) }),
    status: 200,
  },
  {
    name: 'a token without a key',
    ask: (_, earlier) => ({ path: '/metadata/accounts', headers: bearer(tokenOf(earlier)) }),
    status: 401,
    code: 'KEY_MISSING',
  },
  {
    name: 'a token whose signature is damaged',
    ask: (_, earlier) => ({
      path: '/jwt/claims',
      as: 'agency',
      headers: bearer(tokenOf(earlier).replace(/.{8}$/, 'AAAAAAAA')),
    }),
    status: 401,
    code: 'TOKEN_INVALID',
  },
  {
    name: 'somebody else’s token',
    ask: (_, earlier) => ({ path: '/jwt/claims', as: 'cpg', headers: bearer(tokenOf(earlier)) }),
    status: 401,
    code: 'TOKEN_INVALID',
    keys: ['cpg'],
  },
];

export const tokens: Suite = { name: 'tokens', cases };
