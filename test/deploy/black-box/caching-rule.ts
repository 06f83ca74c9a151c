import { expect } from 'vitest';
import { bodyOf, type Case, type Suite, type World } from './suite.ts';

const ACCOUNT = 1001; // of the demo network, which is loaded where this is asked

const CONTACT = {
  id: 1,
  firstName: 'Ada',
  lastName: 'Quillon',
  email: 'ada@example.com',
  contactType: 'AGENCY',
  accountIds: [ACCOUNT],
};

const contacts = ({ accountId }: World) => ({
  path: '/metadata/contacts',
  as: 'agency' as const,
  query: [['account_id', String(accountId)]] as const,
});

const cases: Case[] = [
  { name: 'contacts before an update', ask: contacts, status: 200 },
  {
    name: 'contacts after an update stay as they were',
    load: { contacts: [CONTACT] },
    ask: contacts,
    status: 200,
    check: ({ text }, earlier) => expect(text).toBe(earlier('contacts before an update').text),
  },
  { name: 'until the accounts are listed', ask: { path: '/metadata/accounts', as: 'agency' }, status: 200 },
  {
    name: 'then they are fresh',
    afterLoad: true,
    ask: contacts,
    status: 200,
    check: (reply) => expect(bodyOf(reply).data).toMatchObject([{ ...CONTACT, accountIds: [ACCOUNT] }]),
  },
];

export const cachingRule: Suite = { name: 'the caching rule of contacts', cases };
