import * as z from 'zod/mini';
import { AD_GROUP_STATUSES } from '../../catalog/closed-values.ts';
import { described } from '../described.ts';
import { accountIdParameter, advertiserIdParameter, statusParameter } from '../parameters.ts';
import { FLIGHT_AND_BUDGET } from './campaign.ts';
import { listingOf, listingParameters } from './listing.ts';

export const AdGroup = z
  .strictObject({
    id: z
      .int()
      .check(
        described('Id of the ad group, as in the report dimension ad_group_id and in the path of its products.', 70001),
      ),
    shortId: z.optional(z.string().check(described('Short id shown to people.', 'A-70001'))),
    name: z.string().check(described('Name of the ad group.', 'Saltlark Always On Search – Brand')),
    campaignId: z.int().check(described('Id of its campaign.', 60001)),
    advertiserId: z.int().check(described('Id of the campaign’s advertiser.', 2001)),
    status: z.enum(AD_GROUP_STATUSES).check(described('Status of the ad group.', 'ACTIVE')),
    ...FLIGHT_AND_BUDGET,
  })
  .check(
    z.meta({
      id: 'AdGroup',
      description: 'An ad group of a campaign. Its flight is the campaign’s where it has no dates of its own.',
    }),
  );

export const listAdGroups = listingOf(AdGroup, {
  items: 'ad groups',
  query: z.object({
    account_id: accountIdParameter,
    advertiser_id: advertiserIdParameter,
    status: statusParameter(AD_GROUP_STATUSES),
    ...listingParameters,
  }),
  summary: 'List the ad groups of an account',
  description:
    'Returns the ad groups of all advertisers of the given account, or of one of them, sorted by id. They can be filtered by status. The id of an ad group ' +
    'is the one in the path of its available products.',
});
