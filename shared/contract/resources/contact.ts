import * as z from 'zod/mini';
import { accountIdParameter } from '../parameters.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listContactsInput = { query: z.object({ account_id: accountIdParameter, ...pagingParameters }) };

export const Contact = z
  .strictObject({
    id: z.int().check(z.meta({ description: 'Id of the contact.', examples: [3001] })),
    firstName: z.string().check(z.meta({ description: 'First name.' })),
    lastName: z.string().check(z.meta({ description: 'Last name.' })),
    email: z.string().check(z.meta({ description: 'E-mail address.', examples: ['ana.silva@example.com'] })),
    contactType: z
      .enum(['CPG', 'AGENCY'])
      .check(z.meta({ description: 'Whether the contact works for a brand (CPG) or an agency.' })),
    active: z.boolean().check(z.meta({ description: 'Whether the contact is active.' })),
    accountIds: z
      .array(z.int())
      .check(z.meta({ description: 'The contact’s accounts, as far as they are yours.', examples: [[1001]] })),
  })
  .check(z.meta({ id: 'AdvertiserContact', description: 'A contact of an account.' }));

export const AdvertiserContactResponse = listResponse('AdvertiserContactResponse', 'contacts', Contact);
