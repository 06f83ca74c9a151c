import campaigns from './campaigns.json' with { type: 'json' };
import network from './network.json' with { type: 'json' };
import placements from './placements.json' with { type: 'json' };
import rates from './rates.json' with { type: 'json' };
import taxonomy from './taxonomy.json' with { type: 'json' };

/**
 * Accounts, users and advertisers. Every company, brand and person is invented. The largest advertiser comes first: traffic falls with the position. An advertiser
 * runs the first `campaignCount` of the campaigns for active or former clients.
 */
export const { accounts: ACCOUNTS, users: USERS, advertisers: ADVERTISERS } = network;
export type Advertiser = (typeof ADVERTISERS)[number];

/**
 * Campaigns that advertisers run, each with one of their brands.
 * - `flight`: first and last day, counted from the last day with facts (0); an open flight has no last one. `pausedFrom`: the day of a pause, counted likewise.
 * - `theme`: second part of the name; `season` stands for the season in which the flight starts.
 * - `weight`: share of the traffic, relative to the advertiser's other campaigns of the experience, or to the campaign's other ad groups.
 * - `headroom`: budget divided by expected cost; below 1 it runs out before an average day ends. Drafts have no budget and deliver nothing.
 * - `adGroups`: those with another status than the campaign are not approved. `hours` is `[from, to)`; a `productCount` of 0 advertises all products of the brand.
 */
export const CAMPAIGNS = campaigns;
export type Plan = (typeof CAMPAIGNS)[number];

/** Placements with their share of the traffic and clicks per impression, relative to the others of the experience; banners, the largest first. */
export const { placements: PLACEMENTS, banners: BANNERS } = placements;

/** What the advertisers sell. Demand is highest in `peakMonth` (1–12). Keywords are in order of frequency, sizes in ascending order; the smallest has the price. */
export const COMMODITIES = taxonomy;
export type Commodity = (typeof COMMODITIES)[number];

/** Days of facts; traffic by hour (percent) and by weekday (Sunday first, relative to the average); themes of campaigns by month. */
export const { days: DEMO_DAYS, hours: HOURS, weekdays: WEEKDAYS, seasons: SEASONS } = rates;

/**
 * What an average ad achieves and costs, by experience.
 * - `rows`: deliveries over all days before budgets run out. One of the two prices is 0.
 * - `winRate`: share of the opportunities that is won; 0 where there are no auctions. `signedInRate`: share of the impressions that signed-in shoppers see.
 */
export const RATES = new Map(Object.entries(rates.experiences));

/** @returns the value. @throws Error if there is none, because the tables of the demo do not fit together */
export function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the tables of the demo do not fit together');
  return value;
}
