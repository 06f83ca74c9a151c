import * as z from 'zod/mini';
import { BUDGET_TYPES, CAMPAIGN_STATUSES } from '../../catalog/closed-values.ts';
import { described } from '../described.ts';
import { accountIdParameter, advertiserIdParameter, statusParameter } from '../parameters.ts';
import { listingOf, listingParameters } from './listing.ts';

/** The dates and the budget, which campaigns and ad groups have. */
export const FLIGHT_AND_BUDGET = {
  startDate: z.iso.date().check(described('First day of the flight, in the platform’s time zone.', '2026-03-01')),
  endDate: z.optional(
    z.iso.date().check(described('Last day of the flight, included; absent if it is open-ended.', '2026-03-31')),
  ),
  budget: z.optional(
    z
      .number()
      .check(
        z.minimum(0),
        described('Budget in the period of budgetType, in the platform’s currency; absent if there is none.', 500),
      ),
  ),
  budgetType: z.optional(
    z.enum(BUDGET_TYPES).check(described('The period of the budget; LIFETIME is the whole flight.', 'DAILY')),
  ),
} as const;

export const Campaign = z
  .strictObject({
    id: z.int().check(described('Id of the campaign, as in the report dimension campaign_id.', 60001)),
    shortId: z.optional(z.string().check(described('Short id shown to people.', 'C-60001'))),
    name: z.string().check(described('Name of the campaign.', 'Saltlark Always On Search')),
    advertiserId: z.int().check(described('Id of the campaign’s advertiser.', 2001)),
    status: z.enum(CAMPAIGN_STATUSES).check(described('Status of the campaign.', 'ACTIVE')),
    ...FLIGHT_AND_BUDGET,
  })
  .check(z.meta({ id: 'Campaign', description: 'A campaign of an advertiser.' }));

export const listCampaigns = listingOf(Campaign, {
  items: 'campaigns',
  query: z.object({
    account_id: accountIdParameter,
    advertiser_id: advertiserIdParameter,
    status: statusParameter(CAMPAIGN_STATUSES),
    ...listingParameters,
  }),
  summary: 'List the campaigns of an account',
  description:
    'Returns the campaigns of all advertisers of the given account, or of one of them, sorted by id. They can be filtered by status.',
});
