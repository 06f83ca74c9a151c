import type { LoadRow } from '../../real/write-folder.ts';

/** The rows of a load folder by file, without the extension: `accounts`, `facts/pla/delivery`. */
export type FolderRows = Readonly<Record<string, readonly LoadRow[]>>;

const NO_MEASURES = { impressions: 0, clicks: 0, cost: '0', video_starts: 0, video_total_duration: 0 };
/** Cells of an ad group that has the campaign's dates, no budget, no segments and every product. */
const ALL_DEFAULTS = { startDate: '', budget: '', budgetType: '', segmentIds: [], productIds: [] };

/**
 * A small network: accounts 1 and 2; advertisers 10 (of 1) and 11 (of both, 2 first); campaign 100 and ad groups 1000, 1001 of advertiser 10,
 * campaign 110 and ad group 1100 of advertiser 11. Freshness has a row for advertiser 11 and rows for all advertisers.
 */
export const NETWORK: FolderRows = {
  accounts: [
    { id: 2, name: 'Beta, "Inc."', active: false },
    { id: 1, name: 'Ácme' },
  ],
  advertisers: [
    {
      id: 11,
      name: 'Eleven',
      accountId: 2,
      accountIds: [1, 2],
      description: 'Two\nlines',
      advertiserType: 'Brand',
      brandNames: ['Zest', 'Able'],
      active: true,
    },
    { id: 10, name: 'Ten', accountId: 1, accountIds: [] },
  ],
  contacts: [
    { id: 5, firstName: 'Ann', lastName: 'Lee', email: 'ann@example.org', contactType: 'CPG', accountIds: [2, 1] },
    { id: 6, firstName: 'Bob', lastName: 'Ray', email: 'bob@example.org', contactType: 'AGENCY', accountIds: [1] },
  ],
  addresses: [
    {
      id: 8,
      companyName: 'Acme',
      addressLine1: '1 Main St',
      city: 'Mainz',
      country: 'DE',
      addressType: 'AGENCY',
      accountIds: [1],
      postalCode: '01234',
    },
    {
      id: 7,
      companyName: 'Acme',
      addressLine1: '2 Main St',
      city: 'Mainz',
      country: 'DE',
      addressType: 'CPG',
      accountIds: [1],
      postalCode: '01234',
    },
  ],
  placements: [
    { id: 1, name: 'Search', experiences: ['pla', 'toa'], priceFloor: '0.25', description: 'Results' },
    { id: 2, name: 'Home', experiences: ['carousel'] },
  ],
  products: [
    {
      id: 21,
      advertiserId: 10,
      upc: '12',
      name: 'Oats',
      brand: 'Able',
      price: '1.10',
      department: 'Food',
      departmentId: '07',
    },
    {
      id: 20,
      advertiserId: 10,
      upc: '0000000000011',
      name: 'Rye',
      brand: 'Able',
      price: '2.5',
      department: 'Food',
      departmentId: '07',
    },
    {
      id: 22,
      advertiserId: 11,
      upc: '11',
      name: 'Rye too',
      brand: 'Zest',
      price: '',
      department: '',
      departmentId: '',
    },
  ],
  campaigns: [
    {
      id: 100,
      shortId: 'C-100',
      name: 'Spring',
      advertiserId: 10,
      status: 'ACTIVE',
      startDate: '2026-03-01',
      endDate: '2026-03-31',
      budget: '1000.5',
      budgetType: 'LIFETIME',
    },
    {
      id: 110,
      shortId: '',
      name: 'Always',
      advertiserId: 11,
      status: 'PAUSED',
      startDate: '2026-01-01',
      endDate: '',
      budget: '',
      budgetType: '',
    },
  ],
  ad_groups: [
    {
      id: 1001,
      name: 'Narrow',
      campaignId: 100,
      status: 'ACTIVE',
      startDate: '2026-03-02',
      budget: '5',
      budgetType: 'DAILY',
      segmentIds: ['s2', 's1'],
      productIds: [20],
    },
    {
      id: 1000,
      name: 'Wide',
      campaignId: 100,
      status: 'UNDER_REVIEW',
      ...ALL_DEFAULTS,
    },
    {
      id: 1100,
      name: 'Other',
      campaignId: 110,
      status: 'FAILED',
      ...ALL_DEFAULTS,
    },
  ],
  creatives: [{ key: 'k1', name: 'Banner', advertiserId: 10 }],
  insertion_orders: [
    {
      campaignId: 100,
      billings: 'Monthly',
      ioName: 'IO',
      ioNumber: '007',
      ioTotalAmount: '99.99',
      ioRemainingAmount: '0.01',
    },
  ],
  users: [
    { userId: 'u-agency', name: 'Agnes', userType: 'AGENCY', accountIds: [2, 1] },
    { userId: 'u-cpg', name: 'Cyrus', userType: 'CPG', accountIds: [1] },
  ],
  freshness: [
    { experience: 'pla', advertiserId: 11, completeThrough: '2026-03-02' },
    { experience: 'toa', advertiserId: '', completeThrough: '2026-02-28' },
    { experience: 'pla', advertiserId: '', completeThrough: '2026-03-04' },
  ],
};

/** Two rows have these keys, so that they are summed. */
const OAT_MILK = {
  daily_date: '2026-03-02',
  hour: 9,
  ad_group_id: 1001,
  placement_id: 1,
  division_banner: 'North',
  keyword: 'oat milk',
  entity_id: '11',
  creative_key: 'k1',
  ...NO_MEASURES,
};

/** Facts of the network in March 2026, with market facts. */
export const FACTS: FolderRows = {
  'facts/pla/delivery': [
    {
      ...OAT_MILK,
      impressions: 10,
      clicks: 1,
      cost: '0.1',
      users: ['ann', 'bob'],
    },
    {
      ...OAT_MILK,
      impressions: 5,
      cost: '0.2',
      users: ['bob', 'cyd'],
    },
    {
      daily_date: '2026-03-02',
      hour: 10,
      ad_group_id: 1000,
      placement_id: '',
      division_banner: '',
      keyword: '',
      entity_id: '',
      creative_key: '',
      ...NO_MEASURES,
      impressions: 7,
      users: [],
    },
    {
      daily_date: '2026-03-03',
      hour: 0,
      ad_group_id: 1001,
      placement_id: 2,
      division_banner: 'South',
      keyword: 'rye, "fresh"',
      entity_id: '12',
      creative_key: 'k1',
      ...NO_MEASURES,
      impressions: 3,
      video_starts: 2,
      video_total_duration: '1.125',
      users: ['dan'],
    },
    {
      daily_date: '2026-03-02',
      hour: 23,
      ad_group_id: 1100,
      placement_id: 1,
      division_banner: 'North',
      keyword: 'rye',
      entity_id: '11',
      creative_key: '',
      ...NO_MEASURES,
      impressions: 4,
      cost: '12345.678901',
      users: ['ann'],
    },
  ],
  'facts/pla/conversions': [
    {
      daily_date: '2026-03-03',
      hour: 12,
      ad_group_id: 1001,
      placement_id: 1,
      entity_id: '11',
      purchased_entity_id: '12',
      conversion_source: 'ONLINE',
      halo_transactions: 1,
      halo_units: 2,
      halo_revenue: '4.99',
      halo_exposed_transactions: 2,
      halo_exposed_units: 3,
      halo_exposed_revenue: '7.49',
      users: ['ann', 'eve'],
    },
  ],
  'facts/pla/activity': [
    { daily_date: '2026-03-02', hour: 9, ad_group_id: 1001, live_seconds: 3600, scheduled_seconds: 3600 },
    { daily_date: '2026-03-02', hour: 9, ad_group_id: 1000, live_seconds: 1800, scheduled_seconds: 3600 },
  ],
  'facts/pla/market': [
    {
      daily_date: '2026-03-02',
      hour: 9,
      placement_id: 1,
      division_banner: 'North',
      keyword: 'oat milk',
      impressions: 1000,
      advertisers: 6,
    },
    { daily_date: '2026-03-03', hour: 0, placement_id: 2, division_banner: '', keyword: '', impressions: 70 },
  ],
  'facts/carousel/delivery': [
    { daily_date: '2026-03-02', hour: 1, ad_group_id: 1100, placement_id: 2, impressions: 9, users: ['ann'] },
  ],
};
