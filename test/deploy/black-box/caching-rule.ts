import { expect } from 'vitest';
import { bodyOf, type Case, type Suite, type TestData } from './suite.ts';

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
