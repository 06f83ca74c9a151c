import * as z from 'zod/mini';
import { described } from '../described.ts';
import { ACCOUNT_QUERY, AS_OF_VIEW, listingOf } from './listing.ts';

export const Address = z
  .strictObject({
    id: z.int().check(described('Id of the address.', 4001)),
    companyName: z.string().check(described('Name of the company.', 'Finchwater Media')),
    addressLine1: z.string().check(described('Street and number.', '1 Market Street')),
    addressLine2: z.optional(z.string().check(described('Floor, suite etc.', 'Suite 400'))),
    city: z.string().check(described('City.', 'Cincinnati')),
    state: z.optional(z.string().check(described('State or province.', 'OH'))),
    postalCode: z.optional(z.string().check(described('Postal code.', '45202'))),
    country: z.string().check(described('Country.', 'US')),
    addressType: z
      .enum(['CPG', 'AGENCY'])
      .check(described('Type of the address. CPG users get CPG addresses only.', 'AGENCY')),
    active: z.boolean().check(described('Whether the address is active.', true)),
  })
  .check(z.meta({ id: 'AdvertiserAddress', description: 'An address of an account.' }));

export const listAddresses = listingOf(Address, {
  items: 'addresses',
  query: ACCOUNT_QUERY,
  summary: 'List the addresses of an account',
  description: `Returns the addresses of the given account, sorted by id. Agency users get agency and CPG addresses; CPG users get CPG addresses only. ${AS_OF_VIEW}`,
});
