import * as z from 'zod/mini';
import { accountIdParameter } from '../parameters.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listAdvertisersInput = { query: z.object({ account_id: accountIdParameter, ...pagingParameters }) };

export const Advertiser = z
  .strictObject({
    id: z.int().check(z.meta({ description: 'Id of the advertiser.', examples: [2001] })),
    name: z.string().check(z.meta({ description: 'Name of the advertiser.', examples: ['Northwind Cereals'] })),
    accountId: z.int().check(z.meta({ description: 'Id of its primary account.', examples: [1001] })),
    description: z.optional(z.string().check(z.meta({ description: 'Description of the advertiser.' }))),
    advertiserType: z.optional(
      z.string().check(z.meta({ description: 'Type of the advertiser.', examples: ['BRAND'] })),
    ),
    active: z.boolean().check(z.meta({ description: 'Whether the advertiser is active.' })),
  })
  .check(z.meta({ id: 'Advertiser', description: 'An advertiser of an account.' }));

export const AdvertiserResponse = listResponse('AdvertiserResponse', 'advertisers', Advertiser);
