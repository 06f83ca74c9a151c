import { expect, test } from 'vitest';
import { discoverTestData } from './black-box/discover.ts';
import type { Target } from './target.ts';

/** @returns a target with fixed responses to the two requests */
function targetOf(accounts: object, report: object): Target {
  return {
    name: 'canned',
    keys: new Map(),
    send: async ({ path }) => {
      const text = JSON.stringify(path === '/report/pla' ? report : accounts);
      return { status: 200, headers: {}, bytes: Buffer.from(text), text };
    },
  };
}

const ACCOUNTS = { data: [{ id: 1001 }] };
const REPORT = { data: [{ ad_group_id: 7 }] };

test('account and ad group are read from the API', async () => {
  expect(await discoverTestData(targetOf(ACCOUNTS, REPORT))).toEqual({
    accountId: 1001,
    adGroupId: 7,
  });
});

test.each([
  ['no account', { data: [] }, REPORT, 'the key’s user has no account'],
  [
    'no delivery at all',
    ACCOUNTS,
    { data: [] },
    'the key’s user sees no delivery in pla from 2024-03-07 to 2026-03-02: load some (facts/pla/delivery), or use another user’s key',
  ],
])('for a user with %s, an error says what is missing', async (_, accounts, report, message) => {
  await expect(discoverTestData(targetOf(accounts, report), '2026-03-02')).rejects.toThrow(message);
});
