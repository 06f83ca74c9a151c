import { expect } from 'vitest';
import type { Case, Suite } from './suite.ts';

const accounts = '/metadata/accounts';
const KEY = 'Ocp-Apim-Subscription-Key';

const cases: Case[] = [
  {
    name: 'no key',
    ask: { path: accounts },
    status: 401,
    code: 'KEY_MISSING',
    check: ({ headers }) => expect(headers['x-amzn-remapped-www-authenticate']).toMatch(/^ApiKey realm="endcap", /),
  },
  { name: 'the key in the query', ask: { path: accounts, keyInQuery: 'agency' }, status: 200 },
  { name: 'the same key in both places', ask: { path: accounts, as: 'agency', keyInQuery: 'agency' }, status: 200 },
  {
    name: 'the key in a header whose name is written otherwise',
    ask: { path: accounts, as: 'agency', keyHeader: 'OCP-apim-SUBSCRIPTION-key' },
    status: 200,
  },
  {
    name: 'two different keys',
    ask: { path: accounts, as: 'agency', keyInQuery: 'cpg' },
    status: 401,
    code: 'KEY_CONFLICT',
    keys: ['cpg'],
  },
  {
    name: 'a key that nobody has, in the header',
    ask: { path: accounts, headers: { [KEY]: 'ecap_nobody_has_this_key' } },
    status: 401,
    code: 'KEY_INVALID',
  },
  {
    name: 'a key that nobody has, in the query',
    ask: { path: accounts, query: [['subscription-key', 'ecap_nobody_has_this_key']] },
    status: 401,
    code: 'KEY_INVALID',
  },
  {
    name: 'a key that is revoked',
    ask: { path: accounts, as: 'revoked' },
    status: 401,
    code: 'KEY_INVALID',
    keys: ['revoked'],
  },
  {
    name: 'the key of a user who may not see the account',
    ask: ({ accountId }) => ({
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
