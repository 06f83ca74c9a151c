/** The demo's media network: who buys, who is bought for. Every company, brand and person of it is invented. */
export interface Advertiser {
  readonly id: number;
  readonly name: string;
  /** The first is the primary account. */
  readonly accountIds: readonly [number, ...number[]];
  readonly type: 'National brand' | 'Regional brand' | 'Emerging brand' | 'Private label';
  readonly description: string;
  readonly active: boolean;
  /** Each brand sells the commodities named beside it. */
  readonly brands: readonly { readonly name: string; readonly commodities: readonly [string, ...string[]] }[];
  /** How many of the campaign plans it runs; they are ordered so that the first few deliver. */
  readonly campaignCount: number;
}

export const ACCOUNTS = [
  { id: 1001, name: 'Finchwater Media – Center Store', active: true },
  { id: 1002, name: 'Finchwater Media – Fresh & Frozen', active: true },
  { id: 1003, name: 'Finchwater Media – Past Clients', active: false },
  { id: 1004, name: 'Brightfathom Brands Direct', active: true },
  { id: 1005, name: 'Osprey Row Collective', active: true },
] as const;

/** The agency and the brand share one account; each also has some that the other does not see. */
export const USERS = [
  { userId: 'demo-agency', name: 'Agency planner', userType: 'AGENCY', accountIds: [1001, 1002, 1003] },
  { userId: 'demo-cpg', name: 'Brand manager', userType: 'CPG', accountIds: [1001, 1004] },
  { userId: 'osprey-row', name: 'Osprey Row planner', userType: 'AGENCY', accountIds: [1004, 1005] },
] as const;

/** Largest first: traffic falls with the position in this list. */
export const ADVERTISERS: readonly Advertiser[] = [
  {
    id: 2001,
    name: 'Crinklefen Foods',
    accountIds: [1001],
    type: 'National brand',
    description: 'Chips, popcorn, pretzels and cookies for every lunchbox.',
    active: true,
    brands: [
      { name: 'Saltlark', commodities: ['Salty Snacks'] },
      { name: 'Tumblecorn', commodities: ['Salty Snacks'] },
      { name: 'Crumblewisp', commodities: ['Cookies & Crackers'] },
    ],
    campaignCount: 15,
  },
  {
    id: 2002,
    name: 'Fizzlebrook Beverages',
    accountIds: [1001, 1002],
    type: 'National brand',
    description: 'Sparkling water, soda, juice and tea.',
    active: true,
    brands: [
      { name: 'Fizzlebrook', commodities: ['Water & Soft Drinks'] },
      { name: 'Orchadelle', commodities: ['Juice & Tea'] },
    ],
    campaignCount: 11,
  },
  {
    id: 2003,
    name: 'Thrushmeadow Dairy Cooperative',
    accountIds: [1002],
    type: 'National brand',
    description: 'Milk, butter and yogurt from 214 family farms.',
    active: true,
    brands: [
      { name: 'Thrushmeadow', commodities: ['Milk & Cream'] },
      { name: 'Cloudferry', commodities: ['Yogurt'] },
    ],
    campaignCount: 8,
  },
  {
    id: 2004,
    name: 'Brightfathom Home Care',
    accountIds: [1004],
    type: 'National brand',
    description: 'Laundry, dish and surface care.',
    active: true,
    brands: [
      { name: 'Brightfathom', commodities: ['Laundry Care'] },
      { name: 'Glimmerdish', commodities: ['Dish & Surface Care'] },
    ],
    campaignCount: 8,
  },
  {
    id: 2005,
    name: 'Mornvale Cereals',
    accountIds: [1001],
    type: 'National brand',
    description: 'Cereal, granola and bars.',
    active: true,
    brands: [
      { name: 'Mornvale', commodities: ['Cold Cereal'] },
      { name: 'Oatenrush', commodities: ['Cold Cereal'] },
    ],
    campaignCount: 6,
  },
  {
    id: 2006,
    name: 'Frostabelle Creamery',
    accountIds: [1002, 1004],
    type: 'Regional brand',
    description: 'Slow-churned ice cream and frozen bars.',
    active: true,
    brands: [{ name: 'Frostabelle', commodities: ['Ice Cream & Novelties'] }],
    campaignCount: 6,
  },
  {
    id: 2007,
    name: 'Rookhaven Coffee Roasters',
    accountIds: [1001],
    type: 'Regional brand',
    description: 'Small-lot roasts, pods and cold brew.',
    active: true,
    brands: [{ name: 'Rookhaven', commodities: ['Coffee'] }],
    campaignCount: 5,
  },
  {
    id: 2008,
    name: 'Wagglecroft Pet Nutrition',
    accountIds: [1004],
    type: 'National brand',
    description: 'Food, treats and litter.',
    active: true,
    brands: [
      { name: 'Wagglecroft', commodities: ['Dog Food & Treats'] },
      { name: 'Purrandel', commodities: ['Cat Food & Litter'] },
    ],
    campaignCount: 5,
  },
  {
    id: 2009,
    name: 'Vellarosso Pantry',
    accountIds: [1001],
    type: 'Regional brand',
    description: 'Bronze-cut pasta and slow-cooked sauces.',
    active: true,
    brands: [{ name: 'Vellarosso', commodities: ['Pasta & Sauce'] }],
    campaignCount: 4,
  },
  {
    id: 2010,
    name: 'Silkenreed Personal Care',
    accountIds: [1005],
    type: 'National brand',
    description: 'Hair and oral care.',
    active: true,
    brands: [
      { name: 'Silkenreed', commodities: ['Hair Care'] },
      { name: 'Pearlhollow', commodities: ['Oral Care'] },
    ],
    campaignCount: 5,
  },
  {
    id: 2011,
    name: 'Forno Brambino Frozen Kitchen',
    accountIds: [1002],
    type: 'Emerging brand',
    description: 'Stone-baked frozen pizza and entrées.',
    active: true,
    brands: [{ name: 'Forno Brambino', commodities: ['Frozen Pizza & Meals'] }],
    campaignCount: 3,
  },
  {
    id: 2012,
    name: 'Cuddlewren Baby Care',
    accountIds: [1005],
    type: 'National brand',
    description: 'Diapers and wipes.',
    active: true,
    brands: [{ name: 'Cuddlewren', commodities: ['Diapers & Wipes'] }],
    campaignCount: 2,
  },
  {
    id: 2013,
    name: 'Alderwhey Cheesemakers',
    accountIds: [1002],
    type: 'Emerging brand',
    description: 'Cheddar and farmhouse cheese.',
    active: true,
    brands: [{ name: 'Alderwhey', commodities: ['Cheese'] }],
    campaignCount: 2,
  },
  {
    id: 2014,
    name: 'Crumbhollow Bakery',
    accountIds: [1001],
    type: 'Private label',
    description: 'Bread, buns and bagels baked before dawn.',
    active: true,
    brands: [{ name: 'Crumbhollow', commodities: ['Bread & Rolls'] }],
    campaignCount: 1,
  },
  {
    id: 2015,
    name: 'Pebblesworth Confections',
    accountIds: [1003],
    type: 'Emerging brand',
    description: 'Chocolate and gummies.',
    active: false,
    brands: [{ name: 'Pebblesworth', commodities: ['Candy & Chocolate'] }],
    campaignCount: 1,
  },
  {
    id: 2016,
    name: 'Hollowfennel Farms',
    accountIds: [1002],
    type: 'Emerging brand',
    description: 'Salad kits and greens; onboarded, not yet advertising.',
    active: true,
    brands: [{ name: 'Hollowfennel', commodities: ['Packaged Salads'] }],
    campaignCount: 0,
  },
];
