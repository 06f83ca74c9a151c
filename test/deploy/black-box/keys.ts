import { expect } from 'vitest';
import type { Case, Suite } from './suite.ts';

const accounts = '/metadata/accounts';
const KEY = 'Ocp-Apim-Subscription-Key';

const cases: Case[] = [
  {
    name: 'a request without a key',
    request: { path: accounts },
    status: 401,
    code: 'KEY_MISSING',
    check: ({ headers }) => expect(headers['x-amzn-remapped-www-authenticate']).toMatch(/^ApiKey realm="endcap", /),
  },
  { name: 'a key in the query', request: { path: accounts, keyInQuery: 'agency' }, status: 200 },
  { name: 'the same key in both places', request: { path: accounts, as: 'agency', keyInQuery: 'agency' }, status: 200 },
  {
    name: 'a key in a header whose name has another case',
    request: { path: accounts, as: 'agency', keyHeader: 'OCP-apim-SUBSCRIPTION-key' },
    status: 200,
  },
  {
    name: 'two different keys',
    request: { path: accounts, as: 'agency', keyInQuery: 'cpg' },
    status: 401,
    code: 'KEY_CONFLICT',
    keys: ['cpg'],
  },
  {
    name: 'an unknown key in the header',
    request: { path: accounts, headers: { [KEY]: 'ecap_nobody_has_this_key' } },
    status: 401,
    code: 'KEY_INVALID',
  },
  {
    name: 'an unknown key in the query',
    request: { path: accounts, query: [['subscription-key', 'ecap_nobody_has_this_key']] },
    status: 401,
    code: 'KEY_INVALID',
  },
  {
    name: 'a revoked key',
    request: { path: accounts, as: 'revoked' },
    status: 401,
    code: 'KEY_INVALID',
    keys: ['revoked'],
  },
  {
    name: 'the key of a user without the account',
    request: ({ accountId }) => ({
      path: '/metadata/advertisers',
      as: 'other',
      query: [['account_id', String(accountId)]],
    }),
    status: 403,
    code: 'ACCOUNT_FORBIDDEN',
    keys: ['other'],
  },
];

export const keys: Suite = { name: 'keys', cases };
