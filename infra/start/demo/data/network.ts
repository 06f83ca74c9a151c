import * as z from 'zod';
import network from './network.json' with { type: 'json' };

const Account = z.strictObject({
  id: z.int(),
  name: z.string(),
  active: z.boolean(),
  contactCount: z.int(),
});

const User = z.strictObject({
  userId: z.string(),
  name: z.string(),
  userType: z.enum(['AGENCY', 'CPG']),
  accountIds: z.array(z.int()),
});

const Advertiser = z.strictObject({
  id: z.int(),
  name: z.string(),
  /** The first one is the primary account. */
  accountIds: z.tuple([z.int()], z.int()),
  advertiserType: z.enum(['National brand', 'Regional brand', 'Emerging brand', 'Private label']),
  description: z.string(),
  active: z.boolean(),
  /** Brands with the commodities that each one sells. */
  brands: z.array(z.strictObject({ name: z.string(), commodities: z.array(z.string()).min(1) })),
  /** How many of the campaign templates the advertiser runs: the first ones of the list. */
  campaignCount: z.int(),
});

const Network = z.strictObject({
  accounts: z.array(Account),
  /** An agency, a brand and a second agency: the brand shares one account with each agency; the agencies share none. */
  users: z.array(User),
  /** The largest advertiser first: traffic falls with the position in this list. */
  advertisers: z.array(Advertiser),
});

export type Advertiser = z.infer<typeof Advertiser>;

/** The accounts, users and advertisers of the demo. Every company, brand and person is invented. */
export const { accounts: ACCOUNTS, users: USERS, advertisers: ADVERTISERS } = Network.parse(network);

/** @returns the number of the advertiser: the demo's ids of advertisers are 2001, 2002 and so on */
export const advertiserNumber = ({ id }: Advertiser): number => id - 2000;
