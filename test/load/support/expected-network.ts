import { productsOfAdvertiser } from '../../../shared/store/table/item-keys.ts';
import { EXPECTED_FACTS } from './expected-facts.ts';
import type { StoredNetwork } from './read-stored-network.ts';

/* Rows that are in several listings. */
const ACME = {
  id: 1,
  name: 'Ácme',
  active: true,
};
const ELEVEN = {
  id: 11,
  name: 'Eleven',
  accountId: 2,
  description: 'Two\nlines',
  advertiserType: 'Brand',
  active: true,
};
const ANN = {
  id: 5,
  firstName: 'Ann',
  lastName: 'Lee',
  email: 'ann@example.org',
  contactType: 'CPG',
  active: true,
  accountIds: [2, 1],
};
const CPG_ADDRESS = {
  id: 7,
  companyName: 'Acme',
  addressLine1: '2 Main St',
  city: 'Mainz',
  postalCode: '01234',
  country: 'DE',
  addressType: 'CPG',
  active: true,
};
const RYE = {
  id: 20,
  upc: '0000000000011',
  name: 'Rye',
  brand: 'Able',
  price: 2.5,
  available: true,
};

/** NETWORK and FACTS as they are stored: sorted, with defaults and inherited dates. */
export const EXPECTED: StoredNetwork = {
  listings: {
    'accounts u-agency': [
      ACME,
      {
        id: 2,
        name: 'Beta, "Inc."',
        active: false,
      },
    ],
    'accounts u-cpg': [ACME],
    'advertisers 1': [
      {
        id: 10,
        name: 'Ten',
        accountId: 1,
        active: true,
      },
      ELEVEN,
    ],
    'contacts 1': [
      ANN,
      {
        id: 6,
        firstName: 'Bob',
        lastName: 'Ray',
        email: 'bob@example.org',
        contactType: 'AGENCY',
        active: true,
        accountIds: [1],
      },
    ],
    'addresses 1#ALL': [
      CPG_ADDRESS,
      {
        id: 8,
        companyName: 'Acme',
        addressLine1: '1 Main St',
        city: 'Mainz',
        postalCode: '01234',
        country: 'DE',
        addressType: 'AGENCY',
        active: true,
      },
    ],
    'addresses 1#CPG': [CPG_ADDRESS],
    'advertisers 2': [ELEVEN],
    'contacts 2': [ANN],
    'placements all': [
      {
        id: 1,
        name: 'Search',
        description: 'Results',
        experiences: ['pla', 'toa'],
        active: true,
        priceFloor: 0.25,
      },
      {
        id: 2,
        name: 'Home',
        experiences: ['carousel'],
        active: true,
      },
    ],
    'products 10': [
      RYE,
      {
        id: 21,
        upc: '0000000000012',
        name: 'Oats',
        brand: 'Able',
        price: 1.1,
        available: true,
      },
    ],
    'products 11': [
      {
        id: 22,
        upc: '0000000000011',
        name: 'Rye too',
        brand: 'Zest',
        available: true,
      },
    ],
    [`products ${productsOfAdvertiser(10, [20]).audience}`]: [RYE],
  },
  users: {
    'u-agency': {
      userId: 'u-agency',
      name: 'Agnes',
      userType: 'AGENCY',
      accountIds: [1, 2],
    },
    'u-cpg': {
      userId: 'u-cpg',
      name: 'Cyrus',
      userType: 'CPG',
      accountIds: [1],
    },
  },
  owned: {
    '1': [10, 11],
    '2': [11],
  },
  adGroups: {
    '1000': {
      advertiserId: 10,
      accountIds: [1],
      products: [20, 21],
    },
    '1001': {
      advertiserId: 10,
      accountIds: [1],
      products: [20],
    },
    '1100': {
      advertiserId: 11,
      accountIds: [1, 2],
      products: [22],
    },
  },
  tables: {
    'accounts 0': [
      { id: 1, name: 'Ácme' },
      { id: 2, name: 'Beta, "Inc."' },
    ],
    'advertisers 0': [
      {
        id: 10,
        name: 'Ten',
        accountId: 1,
        accountIds: '1',
      },
      {
        id: 11,
        name: 'Eleven',
        advertiserType: 'Brand',
        brandNames: 'Able, Zest',
        accountId: 2,
        accountIds: '1,2',
      },
    ],
    'placements 0': [
      {
        id: 1,
        name: 'Search',
      },
      {
        id: 2,
        name: 'Home',
      },
    ],
    'campaigns 10': [
      {
        id: 100,
        shortId: 'C-100',
        name: 'Spring',
        status: 'ACTIVE',
        startDate: '2026-03-01',
        endDate: '2026-03-31',
        budget: 1_000_500_000,
        budgetType: 'LIFETIME',
      },
    ],
    'campaigns 11': [
      {
        id: 110,
        name: 'Always',
        status: 'PAUSED',
        startDate: '2026-01-01',
      },
    ],
    'ad_groups 10': [
      {
        id: 1000,
        name: 'Wide',
        campaignId: 100,
        status: 'UNDER_REVIEW',
        startDate: '2026-03-01',
        endDate: '2026-03-31',
      },
      {
        id: 1001,
        name: 'Narrow',
        campaignId: 100,
        status: 'ACTIVE',
        startDate: '2026-03-02',
        endDate: '2026-03-31',
        budget: 5_000_000,
        budgetType: 'DAILY',
        segmentIds: 's1, s2',
      },
    ],
    'ad_groups 11': [
      {
        id: 1100,
        name: 'Other',
        campaignId: 110,
        status: 'FAILED',
        startDate: '2026-01-01',
      },
    ],
    'creatives 0': [
      {
        key: 'k1',
        name: 'Banner',
      },
    ],
    'insertion_orders 10': [
      {
        campaignId: 100,
        billings: 'Monthly',
        ioName: 'IO',
        ioNumber: '007',
        ioTotalAmount: 99_990_000,
        ioRemainingAmount: 10_000,
      },
    ],
    'products 10': [
      {
        upc: '0000000000011',
        name: 'Rye',
        brand: 'Able',
        department: 'Food',
        departmentId: '07',
      },
      {
        upc: '0000000000012',
        name: 'Oats',
        brand: 'Able',
        department: 'Food',
        departmentId: '07',
      },
    ],
    'products 11': [
      {
        upc: '0000000000011',
        name: 'Rye too',
        brand: 'Zest',
      },
    ],
    'freshness 0': [
      { key: 'pla/', experience: 'pla', completeThrough: '2026-03-04' },
      { key: 'pla/11', experience: 'pla', advertiserId: 11, completeThrough: '2026-03-02' },
      { key: 'toa/', experience: 'toa', completeThrough: '2026-02-28' },
    ],
  },
  latestDelivery: { pla: '2026-03-03', carousel: '2026-03-02' },
  facts: EXPECTED_FACTS,
};
