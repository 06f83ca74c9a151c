import * as z from 'zod/mini';
import { described } from '../described.ts';
import { ACCOUNT_QUERY, listingOf } from './listing.ts';

export const Advertiser = z
  .strictObject({
    id: z.int().check(described('Id of the advertiser.', 2001)),
    name: z.string().check(described('Name of the advertiser.', 'Northwind Cereals')),
    accountId: z.int().check(described('Id of the account in the request.', 1001)),
    description: z.optional(
      z
        .string()
        .check(described('Description of the advertiser.', 'Chips, popcorn, pretzels and cookies for every lunchbox.')),
    ),
    advertiserType: z.optional(z.string().check(described('Type of the advertiser.', 'BRAND'))),
    active: z.boolean().check(described('Whether the advertiser is active.', true)),
  })
  .check(z.meta({ id: 'Advertiser', description: 'An advertiser of an account.' }));

export const listAdvertisers = listingOf(Advertiser, {
  items: 'advertisers',
  query: ACCOUNT_QUERY,
  summary: 'List the advertisers of an account',
  description: 'Returns the advertisers of the given account, sorted by id.',
});
