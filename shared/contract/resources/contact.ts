import * as z from 'zod/mini';
import { described } from '../described.ts';
import { ACCOUNT_QUERY, AS_OF_VIEW, listingOf } from './listing.ts';

export const Contact = z
  .strictObject({
    id: z.int().check(described('Id of the contact.', 3001)),
    firstName: z.string().check(described('First name.', 'Ana')),
    lastName: z.string().check(described('Last name.', 'Silva')),
    email: z.string().check(described('E-mail address.', 'ana.silva@example.com')),
    contactType: z
      .enum(['CPG', 'AGENCY'])
      .check(described('Whether the contact works for a brand (CPG) or an agency.', 'AGENCY')),
    active: z.boolean().check(described('Whether the contact is active.', true)),
    accountIds: z.array(z.int()).check(described('The contact’s accounts, as far as they are yours.', [1001])),
  })
  .check(z.meta({ id: 'AdvertiserContact', description: 'A contact of an account.' }));

export const listContacts = listingOf(Contact, {
  items: 'contacts',
  query: ACCOUNT_QUERY,
  summary: 'List the contacts of an account',
  description: `Returns the contacts of the given account, sorted by id. ${AS_OF_VIEW}`,
});
