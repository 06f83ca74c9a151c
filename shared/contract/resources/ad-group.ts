import * as z from 'zod/mini';
import { AD_GROUP_STATUSES } from '../../catalog/closed-values.ts';
import { described } from '../described.ts';
import { accountIdParameter, advertiserIdParameter, statusParameter } from '../parameters.ts';
import { FLIGHT_AND_BUDGET } from './campaign.ts';
import { listResponse, pagingParameters } from './paging.ts';

export const listAdGroupsInput = {
  query: z.object({
    account_id: accountIdParameter,
    advertiser_id: advertiserIdParameter,
    status: statusParameter(AD_GROUP_STATUSES),
    ...pagingParameters,
  }),
};

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

export const AdGroupResponse = listResponse('AdGroupResponse', 'ad groups', AdGroup);
