import * as z from 'zod/mini';
import { accountIdParameter } from '../parameters.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listAddressesInput = { query: z.object({ account_id: accountIdParameter, ...pagingParameters }) };

export const Address = z
  .strictObject({
    id: z.int().check(z.meta({ description: 'Id of the address.', examples: [4001] })),
    companyName: z.string().check(z.meta({ description: 'Name of the company.' })),
    addressLine1: z.string().check(z.meta({ description: 'Street and number.', examples: ['1 Market Street'] })),
    addressLine2: z.optional(z.string().check(z.meta({ description: 'Floor, suite etc.' }))),
    city: z.string().check(z.meta({ description: 'City.', examples: ['Cincinnati'] })),
    state: z.optional(z.string().check(z.meta({ description: 'State or province.', examples: ['OH'] }))),
    postalCode: z.optional(z.string().check(z.meta({ description: 'Postal code.', examples: ['45202'] }))),
    country: z.string().check(z.meta({ description: 'Country.', examples: ['US'] })),
    addressType: z
      .enum(['CPG', 'AGENCY'])
      .check(z.meta({ description: 'Type of the address. CPG users get CPG addresses only.' })),
    active: z.boolean().check(z.meta({ description: 'Whether the address is active.' })),
  })
  .check(z.meta({ id: 'AdvertiserAddress', description: 'An address of an account.' }));

export const AdvertiserAddressResponse = listResponse('AdvertiserAddressResponse', 'addresses', Address);
