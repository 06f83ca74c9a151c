import * as z from 'zod';
import { EXPERIENCES } from '../../../../shared/catalog/tables.ts';
import templates from './campaign-templates.json' with { type: 'json' };

const AdGroupTemplate = z.strictObject({
  name: z.string(),
  /** Share of the campaign's traffic, relative to the campaign's other ad groups. */
  weight: z.number(),
  segmentIds: z.array(z.string()).optional(),
  /** Number of the brand's products that the ad group's list holds; without it, the ad group has no list. */
  productCount: z.int().optional(),
  /** Scheduled hours of the day, `[from, to)`; without it, all day. */
  hours: z.tuple([z.int(), z.int()]).optional(),
  /** Set where it differs from the campaign's: the ad group waits for approval or was rejected, and has no facts. */
  status: z.enum(['UNDER_REVIEW', 'FAILED']).optional(),
});

const CampaignTemplate = z.strictObject({
  /** Second part of the campaign's name; `season` stands for the season in which the flight starts. */
  theme: z.string(),
  experience: z.enum(EXPERIENCES),
  status: z.enum(['DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED']),
  /** First and last day of the flight, counted from the last day with facts (0); null is an open end. */
  flight: z.tuple([z.int(), z.int().nullable()]),
  /** Day on which the campaign was paused, counted like the flight. */
  pausedFrom: z.int().optional(),
  /** Share of the advertiser's traffic in the experience, relative to its other campaigns there. */
  weight: z.number(),
  /** Absent for drafts: an ad group without a budget delivers nothing. */
  budget: z
    .strictObject({
      level: z.enum(['campaign', 'ad_group']),
      type: z.enum(['DAILY', 'WEEKLY', 'MONTHLY', 'LIFETIME']),
    })
    .optional(),
  /** Budget divided by expected cost; below 1 the budget runs out before an average day ends. */
  headroom: z.number(),
  adGroups: z.array(AdGroupTemplate),
});

const Templates = z.strictObject({
  /** Templates of active advertisers, each of which has the first `campaignCount`; they include campaigns that have ended or not begun. */
  activeAdvertisers: z.array(CampaignTemplate),
  /** Templates of former clients; all of them end before the first day with facts. */
  formerAdvertisers: z.array(CampaignTemplate),
});

export type CampaignTemplate = z.infer<typeof CampaignTemplate>;

export const { activeAdvertisers: ACTIVE_ADVERTISER_TEMPLATES, formerAdvertisers: FORMER_ADVERTISER_TEMPLATES } =
  Templates.parse(templates);
