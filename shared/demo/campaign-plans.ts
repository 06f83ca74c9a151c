import type { Experience } from '../catalog/tables.ts';

export type BudgetType = 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'LIFETIME';
export type CampaignStatus = 'DRAFT' | 'SCHEDULED' | 'ACTIVE' | 'PAUSED' | 'ENDED';
export type AdGroupStatus = CampaignStatus | 'UNDER_REVIEW' | 'FAILED';

/** How one ad group of a campaign goes about it. */
export interface Tactic {
  readonly name: string;
  /** Its share of the campaign's traffic, against its siblings. */
  readonly weight: number;
  readonly segments?: readonly string[];
  /** Only so many of the brand's products, instead of all of the advertiser's. */
  readonly products?: number;
  /** Hours of the day it is scheduled for, `[from, to)`; all day unless given. */
  readonly hours?: readonly [from: number, to: number];
  /** Differs from the campaign's while it waits for approval or was refused; it has no facts then. */
  readonly status?: 'UNDER_REVIEW' | 'FAILED';
}

/** One way to run a campaign. Days count from the last day with facts (0); an advertiser runs the first few plans of the list. */
export interface CampaignPlan {
  /** `season`: named after the season that the flight starts in. */
  readonly theme: string | 'season';
  readonly experience: Experience;
  readonly status: CampaignStatus;
  /** First and last day of the flight; null: open end. */
  readonly flight: readonly [first: number, last: number | null];
  readonly pausedFrom?: number;
  readonly weight: number;
  readonly budget?: { readonly on: 'campaign' | 'ad_group'; readonly type: BudgetType };
  /** Budget / expected cost: below 1 the money is spent before the day is over. */
  readonly headroom: number;
  readonly tactics: readonly Tactic[];
}

const BRANDED: Tactic = { name: 'Branded Terms', weight: 3 };
const CATEGORY: Tactic = { name: 'Category Terms', weight: 2, products: 14 };
const LOYAL: Tactic = { name: 'Loyal Households', weight: 2, segments: ['loyal-households', 'top-quartile-spend'] };
const LAPSED: Tactic = { name: 'Lapsed Buyers', weight: 1, segments: ['lapsed-90-days'], products: 8 };
const NEW_TO_BRAND: Tactic = {
  name: 'New to Brand',
  weight: 1,
  segments: ['new-to-brand', 'category-shoppers', 'pickup-users'],
};
const DAYTIME: Tactic = { name: 'Daytime Shoppers', weight: 1, segments: ['weekday-daytime'], hours: [6, 18] };
const EVENING: Tactic = {
  name: 'Evening Planners',
  weight: 1,
  segments: ['evening-planners', 'delivery-users'],
  hours: [15, 24],
};

export const CAMPAIGN_PLANS: readonly CampaignPlan[] = [
  {
    theme: 'Always On Search',
    experience: 'pla',
    status: 'ACTIVE',
    flight: [-210, null],
    weight: 10,
    budget: { on: 'ad_group', type: 'DAILY' },
    headroom: 0.84,
    tactics: [BRANDED, CATEGORY, { ...LAPSED, hours: [6, 24] }],
  },
  {
    theme: 'Home Page Moments',
    experience: 'toa',
    status: 'ACTIVE',
    flight: [-96, 28],
    weight: 8,
    budget: { on: 'campaign', type: 'LIFETIME' },
    headroom: 1.1,
    tactics: [LOYAL, NEW_TO_BRAND],
  },
  {
    theme: 'Basket Builder',
    experience: 'carousel',
    status: 'ACTIVE',
    flight: [-120, null],
    weight: 8,
    budget: { on: 'ad_group', type: 'MONTHLY' },
    headroom: 1.2,
    tactics: [{ name: 'Cart Completers', weight: 2, products: 12 }, LAPSED],
  },
  {
    theme: 'season',
    experience: 'pla',
    status: 'ENDED',
    flight: [-88, -31],
    weight: 7,
    budget: { on: 'campaign', type: 'LIFETIME' },
    headroom: 0.95,
    tactics: [CATEGORY, DAYTIME],
  },
  {
    theme: 'Category Conquest',
    experience: 'pla',
    status: 'ACTIVE',
    flight: [-49, 42],
    weight: 6,
    budget: { on: 'ad_group', type: 'WEEKLY' },
    headroom: 0.9,
    tactics: [CATEGORY, NEW_TO_BRAND],
  },
  {
    theme: 'Video Stories',
    experience: 'toa',
    status: 'ACTIVE',
    flight: [-75, null],
    weight: 6,
    budget: { on: 'ad_group', type: 'DAILY' },
    headroom: 0.9,
    tactics: [EVENING],
  },
  {
    theme: 'Weekly Deals',
    experience: 'carousel',
    status: 'ENDED',
    flight: [-84, -12],
    weight: 5,
    budget: { on: 'campaign', type: 'DAILY' },
    headroom: 0.88,
    tactics: [{ name: 'Deal Seekers', weight: 1, segments: ['deal-seekers'], products: 10 }],
  },
  {
    theme: 'Stock-Up Weekends',
    experience: 'pla',
    status: 'PAUSED',
    flight: [-58, 30],
    pausedFrom: -15,
    weight: 4,
    budget: { on: 'campaign', type: 'MONTHLY' },
    headroom: 1.15,
    tactics: [LOYAL],
  },
  {
    theme: 'season',
    experience: 'pla',
    status: 'SCHEDULED',
    flight: [8, 62],
    weight: 5,
    budget: { on: 'campaign', type: 'LIFETIME' },
    headroom: 1,
    tactics: [BRANDED, CATEGORY],
  },
  {
    theme: 'Recipe Inspiration',
    experience: 'carousel',
    status: 'ACTIVE',
    flight: [-40, 20],
    weight: 4,
    budget: { on: 'ad_group', type: 'LIFETIME' },
    headroom: 1.05,
    tactics: [EVENING],
  },
  {
    theme: 'New Item Launch',
    experience: 'pla',
    status: 'ACTIVE',
    flight: [-27, 33],
    weight: 4,
    budget: { on: 'campaign', type: 'WEEKLY' },
    headroom: 0.8,
    tactics: [
      { name: 'Launch Search', weight: 3, products: 6 },
      { name: 'Trial Offer', weight: 1, products: 3, status: 'UNDER_REVIEW' },
    ],
  },
  {
    theme: 'Loyalty Week',
    experience: 'toa',
    status: 'ENDED',
    flight: [-35, -22],
    weight: 9,
    budget: { on: 'campaign', type: 'LIFETIME' },
    headroom: 0.9,
    tactics: [LOYAL],
  },
  {
    theme: 'Innovation Test',
    experience: 'toa',
    status: 'DRAFT',
    flight: [20, 50],
    weight: 2,
    headroom: 1,
    tactics: [NEW_TO_BRAND],
  },
  {
    theme: 'Search Essentials',
    experience: 'pla',
    status: 'ACTIVE',
    flight: [-150, null],
    weight: 4,
    budget: { on: 'ad_group', type: 'MONTHLY' },
    headroom: 1.25,
    tactics: [BRANDED, DAYTIME],
  },
  {
    theme: 'Retargeting Pilot',
    experience: 'carousel',
    status: 'PAUSED',
    flight: [-16, 20],
    pausedFrom: -4,
    weight: 3,
    budget: { on: 'ad_group', type: 'DAILY' },
    headroom: 1.3,
    tactics: [
      { name: 'Cart Abandoners', weight: 1, segments: ['cart-abandoners'] },
      { name: 'Uploaded Audience', weight: 1, segments: ['uploaded-crm-list'], status: 'FAILED' },
    ],
  },
];

/** What a former client ran, all of it before the first day with facts. */
export const PAST_PLANS: readonly CampaignPlan[] = [
  {
    theme: 'season',
    experience: 'pla',
    status: 'ENDED',
    flight: [-190, -120],
    weight: 5,
    budget: { on: 'campaign', type: 'LIFETIME' },
    headroom: 1,
    tactics: [BRANDED],
  },
];
