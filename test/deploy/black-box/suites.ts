import { join } from 'node:path';
import { expect } from 'vitest';
import { fillIn, type HttpCase, readHttpFile } from '../../support/http-file.ts';
import { fileFormats } from './files.ts';
import { bodyOf, type Case, type Suite, type TestData } from './suite.ts';
import { tokens } from './tokens.ts';

const IN_FILE = readHttpFile(join(import.meta.dirname, 'requests.http'));

const LONG_TEXT = 'x'.repeat(1_100_000);

function suiteOf(section: string): Suite {
  return { name: section, cases: IN_FILE.filter((one) => one.section === section).map(caseOf) };
}

function caseOf({ name, method, path, headers, body, status, code, expectedHeaders, expected }: HttpCase): Case {
  const text = JSON.stringify([path, headers]);
  return {
    name,
    status,
    ...(code === undefined ? {} : { code }),
    keys: (['cpg', 'other', 'revoked'] as const).filter((key) => text.includes(`{{${key}}}`)),
    request: ({ accountId, adGroupId }, _, { keys }) => {
      const variables = { ...Object.fromEntries(keys), accountId, adGroupId, longText: LONG_TEXT };
      return {
        method,
        path: fillIn(path, variables).replace(/^\/$/, ''), // the stage itself, without a slash
        headers: Object.fromEntries(headers.map(([key, value]) => [key, fillIn(value, variables)])),
        ...(body === undefined ? {} : { body: fillIn(body, variables) }),
      };
    },
    check: (response) => {
      expect(response.headers).toMatchObject(Object.fromEntries(expectedHeaders));
      if (expected?.startsWith('{')) expect(bodyOf(response)).toMatchObject(JSON.parse(expected));
      else expect(response.text).toContain(expected ?? '');
    },
  };
}

export const listings = suiteOf('listings');
export const errors = suiteOf('errors');
export const keys = suiteOf('keys');
export const reports = suiteOf('reports');

const placements = (name: string, offset: number, check: NonNullable<Case['check']>): Case => ({
  name,
  request: { path: `/metadata/placements?offset=${offset}&size=3`, as: 'agency' },
  status: 200,
  check,
});

const idsOf = (response: Parameters<typeof bodyOf>[0]): number[] =>
  Object(bodyOf(response).data).map(({ id }: { id: number }) => id);

export const paging: Suite = {
  name: 'paging',
  cases: [
    placements('the first three placements', 0, (response) => {
      const { hasMore } = Object(bodyOf(response).meta).page;
      const next = hasMore ? '</v2/metadata/placements?offset=3&size=3>; rel="next"' : undefined;
      expect(response.headers.link).toBe(next);
    }),
    placements('the next three placements', 3, (response, earlier) => {
      const before = idsOf(earlier('the first three placements'));
      expect(idsOf(response).filter((id) => before.includes(id))).toEqual([]);
    }),
    {
      name: 'the addresses that a CPG user sees, which are not those of agencies',
      request: ({ accountId }) => ({ path: `/metadata/addresses?account_id=${accountId}`, as: 'cpg' }),
      status: 200,
      keys: ['cpg'],
      check: ({ text }) => expect(text).not.toContain('"AGENCY"'),
    },
  ],
};

const CONTACT = {
  id: 1,
  firstName: 'Ada',
  lastName: 'Quillon',
  email: 'ada@example.com',
  contactType: 'AGENCY',
  accountIds: [1001], // the account of the test data: only the demo network is loaded
};

const contacts = ({ accountId }: TestData) => ({
  path: '/metadata/contacts',
  as: 'agency' as const,
  query: [['account_id', String(accountId)]] as const,
});

const cases: Case[] = [
  { name: 'contacts before an update', request: contacts, status: 200 },
  {
    name: 'contacts after an update, with the old ones',
    load: { contacts: [CONTACT] },
    request: contacts,
    status: 200,
    check: ({ text }, earlier) => expect(text).toBe(earlier('contacts before an update').text),
  },
  { name: 'the accounts, which advances the view', request: { path: '/metadata/accounts', as: 'agency' }, status: 200 },
  {
    name: 'contacts after that, with the new ones',
    afterLoad: true,
    request: contacts,
    status: 200,
    check: (response) => expect(bodyOf(response).data).toMatchObject([CONTACT]),
  },
];

export const cachingRule: Suite = { name: 'the caching rule of contacts', cases };

/** The suites that run on any data, in their order: the last one changes the listing of contacts. */
export const SUITES: readonly Suite[] = [listings, paging, errors, keys, reports, fileFormats, tokens, cachingRule];
