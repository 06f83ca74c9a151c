import * as z from 'zod/mini';
import { described } from '../described.ts';
import { accountIdParameter } from '../parameters.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listContactsInput = { query: z.object({ account_id: accountIdParameter, ...pagingParameters }) };

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

export const AdvertiserContactResponse = listResponse('AdvertiserContactResponse', 'contacts', Contact);
