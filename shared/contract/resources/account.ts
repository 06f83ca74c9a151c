import * as z from 'zod/mini';
import { described } from '../described.ts';
import { listingOf, listingParameters } from './listing.ts';

export const Account = z
  .strictObject({
    id: z.optional(z.int().check(described('Account ID number.', 1001))),
    name: z.optional(z.string().check(described('Name of the account.', 'Northwind Foods'))),
    active: z.optional(
      z.boolean().check(z.meta({ description: 'Whether the account is active.', default: true, examples: [true] })),
    ),
  })
  .check(z.meta({ id: 'Account', description: 'An account of the caller. This service always sends all members.' }));

export const listAccounts = listingOf(Account, {
  items: 'accounts',
  query: z.object(listingParameters),
  summary: 'List accounts',
  description:
    'Returns your accounts, sorted by id. Call it after contacts or addresses have been updated: from then on the listings of contacts and ' +
    'addresses are as of this request.',
});
