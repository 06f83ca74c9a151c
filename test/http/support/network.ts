/** A small network whose numbers can be checked by eye; the tests of the functions load it. */

export const PRODUCTS_OF_11 = 250;

const product = (index: number) => ({
  id: 8000 + index,
  advertiserId: 11,
  upc: String(index),
  name: `Granola ${index}`,
  ...(index === 1 ? { brand: 'Oat Hill', price: '3.49', minSuggestedBid: 0.25, maxSuggestedBid: 1.5 } : {}),
});

const address = (id: number, addressType: 'CPG' | 'AGENCY', accountIds: readonly number[]) => ({
  id,
  companyName: `Company ${id}`,
  addressLine1: `${id} Main Street`,
  city: 'Dayton',
  country: 'US',
  addressType,
  accountIds,
});

const contact = (id: number, firstName: string, accountIds: readonly number[]) => ({
  id,
  firstName,
  lastName: 'Lee',
  email: `${firstName.toLowerCase()}@example.com`,
  contactType: 'AGENCY',
  accountIds,
});

/** @returns contacts with the given first names, so that a test can replace them */
export const contactsNamed = (...names: readonly string[]) => [
  ...names.map((name, index) => contact(301 + index, name, [1])),
  contact(390, 'Shared', [1, 2, 3]),
  contact(391, 'Other', [3]),
];

export const LISTINGS: Readonly<Record<string, readonly object[]>> = {
  accounts: [
    { id: 1, name: 'Alpha' },
    { id: 2, name: 'Beta', active: false },
    { id: 3, name: 'Gamma' },
  ],
  advertisers: [
    {
      id: 11,
      name: 'Oat Hill',
      accountId: 1,
      description: 'Cereals',
      advertiserType: 'BRAND',
      brandNames: ['Oat Hill'],
    },
    { id: 12, name: 'Brook', accountId: 2, accountIds: [1, 2, 3] },
    { id: 31, name: 'Cedar', accountId: 3 },
  ],
  contacts: contactsNamed('Ana', 'Ben'),
  addresses: [
    address(401, 'CPG', [1]),
    address(402, 'AGENCY', [1]),
    address(403, 'CPG', [1, 2]),
    address(404, 'AGENCY', [2]),
    address(405, 'CPG', [3]),
  ],
  placements: [
    { id: 21, name: 'Search top', description: 'First row', experiences: ['pla', 'toa'], priceFloor: '0.35' },
    { id: 22, name: 'Home', experiences: ['carousel'], active: false },
  ],
  products: [
    ...Array.from({ length: PRODUCTS_OF_11 }, (_, index) => product(index + 1)),
    { id: 9001, advertiserId: 31, upc: '99', name: 'Cedar plank' },
  ],
  campaigns: [
    { id: 61, name: 'Spring', advertiserId: 11, status: 'ACTIVE', startDate: '2026-01-01' },
    { id: 63, name: 'Autumn', advertiserId: 31, status: 'ACTIVE', startDate: '2026-01-01' },
  ],
  ad_groups: [
    { id: 701, name: 'All', campaignId: 61, status: 'ACTIVE', startDate: '2026-01-01' },
    { id: 702, name: 'Few', campaignId: 61, status: 'ACTIVE', startDate: '2026-01-01', productIds: [8003, 8001] },
    { id: 731, name: 'Foreign', campaignId: 63, status: 'ACTIVE', startDate: '2026-01-01' },
  ],
  users: [
    { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: [1, 2] },
    { userId: 'carl', name: 'Carl', userType: 'CPG', accountIds: [1, 2] },
    { userId: 'zoe', name: 'Zoe', userType: 'AGENCY', accountIds: [3] },
    { userId: 'nobody', name: 'Nobody', userType: 'CPG', accountIds: [] },
  ],
};

export const PLA_DELIVERY: readonly object[] = [
  { daily_date: '2026-02-01', hour: 9, ad_group_id: 701, keyword: 'oats', impressions: 100, clicks: 5, cost: '1.25' },
  { daily_date: '2026-02-01', hour: 10, ad_group_id: 702, keyword: 'granola', impressions: 60, clicks: 6, cost: '0.9' },
  { daily_date: '2026-02-02', hour: 9, ad_group_id: 701, keyword: 'oats', impressions: 40, clicks: 0, cost: '0' },
  { daily_date: '2026-02-02', hour: 9, ad_group_id: 731, keyword: 'cedar', impressions: 7, clicks: 7, cost: '7' },
];
