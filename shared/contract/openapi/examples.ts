import { compatibilityRules } from '../../catalog/describe/compatibility.ts';
import { describedDimensions, describedMetrics, describedOperators } from '../../catalog/describe/describe-fields.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { metricOf } from '../../catalog/metrics.ts';
import type { ReportRequest } from '../report/report-request.ts';
import type { ReportResultResponse } from '../report/report-response.ts';
import { tokenResponse } from '../resources/jwt.ts';
import { pageMeta } from '../resources/paging.ts';
import { HEADERS } from './responses.ts';

/** First and last day of the example report, `YYYY-MM-DD`. */
export interface ExamplePeriod {
  readonly startDate: string;
  readonly endDate: string;
}

/** The example of an operation: a request body, if the operation has one, and a response. */
export interface OperationExamples {
  /** Unique, camelCase; generators and pages show it, or the summary. */
  readonly name: string;
  readonly summary: string;
  readonly body?: object;
  readonly response: object;
  /** The same response as CSV. */
  readonly csv?: string;
}

const CURRENCY = 'USD';
const ANY_PERIOD: ExamplePeriod = { startDate: '2026-02-16', endDate: '2026-02-22' };

/** @returns the examples by operation id; the example report covers `period`, a fixed week by default */
export function openApiExamples(period: ExamplePeriod = ANY_PERIOD): Readonly<Record<string, OperationExamples>> {
  const submitReport = {
    name: 'campaignsByCost',
    summary: 'The campaigns of a week, those with the highest cost first',
    body: reportRequest(period),
    response: reportResponse(period),
    csv: REPORT_CSV,
  };
  return { ...EXAMPLES, submitReport };
}

const listing = (name: string, summary: string, size: number, ...data: readonly object[]): OperationExamples => ({
  name,
  summary,
  response: { data, meta: pageMeta({ offset: 0, size }, data.length) },
});

const ISSUED_AT = Date.parse('2026-03-01T12:00:00Z') / 1000;
const CLAIMS = {
  iss: 'urn:endcap:Endcap',
  sub: 'demo-agency',
  aud: 'endcap',
  iat: ISSUED_AT,
  exp: ISSUED_AT + 3600,
  jti: '5f0f7c53-7b0e-4c53-9a0e-3f6f0c1d2b4a',
  userType: 'AGENCY',
  accountIds: [1001, 1002],
};
const KEY_ID = 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U';
const TOKEN_PARTS = [
  JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: KEY_ID }),
  JSON.stringify(CLAIMS),
  'the signature',
];

const EXAMPLES: Readonly<Record<string, OperationExamples>> = {
  listAccounts: listing(
    'accounts',
    'The two accounts of an agency',
    10,
    { id: 1001, name: 'Finchwater Media – Center Store', active: true },
    { id: 1002, name: 'Finchwater Media – Fresh & Frozen', active: true },
  ),
  listAdvertisers: listing('advertisers', 'An advertiser of an account', 10, {
    id: 2001,
    name: 'Crinklefen Foods',
    accountId: 1001,
    description: 'Chips, popcorn, pretzels and cookies for every lunchbox.',
    advertiserType: 'National brand',
    active: true,
  }),
  listContacts: listing('contacts', 'A contact of an agency', 10, {
    id: 3001,
    firstName: 'Ana',
    lastName: 'Silva',
    email: 'ana.silva@example.com',
    contactType: 'AGENCY',
    active: true,
    accountIds: [1001],
  }),
  listAddresses: listing('addresses', 'An address of an agency', 10, {
    id: 4001,
    companyName: 'Finchwater Media',
    addressLine1: '1 Market Street',
    addressLine2: 'Suite 400',
    city: 'Cincinnati',
    state: 'OH',
    postalCode: '45202',
    country: 'US',
    addressType: 'AGENCY',
    active: true,
  }),
  listPlacements: listing('placements', 'A placement in the search results', 10, {
    id: 11,
    name: 'Search results, top',
    description: 'The first row of the search results.',
    experiences: ['pla', 'toa'],
    active: true,
    priceFloor: 0.35,
  }),
  listCampaigns: listing('campaigns', 'A campaign with a weekly budget', 10, {
    id: 60011,
    shortId: 'C-60011',
    name: 'Tumblecorn New Item Launch',
    advertiserId: 2001,
    status: 'ACTIVE',
    startDate: '2026-02-01',
    endDate: '2026-04-30',
    budget: 200,
    budgetType: 'WEEKLY',
  }),
  listAdGroups: listing('adGroups', 'An ad group with a daily budget and no end', 10, {
    id: 70001,
    shortId: 'A-70001',
    name: 'Saltlark Always On Search – Brand',
    campaignId: 60001,
    advertiserId: 2001,
    status: 'ACTIVE',
    startDate: '2026-01-01',
    budget: 40,
    budgetType: 'DAILY',
  }),
  listFields: {
    name: 'fields',
    summary: 'Some fields, an operator and some rules',
    response: fieldsExample(),
  },
  listAvailableProducts: listing('products', 'A product of an ad group', 100, {
    id: 8001,
    upc: '0001111041700',
    name: 'Saltlark Sea Salt Chips, 8 oz',
    brand: 'Saltlark',
    category: 'Snacks',
    subcategory: 'Chips',
    price: 3.49,
    minSuggestedBid: 0.4,
    maxSuggestedBid: 0.9,
    imageUrl: 'https://images.example.com/0001111041700.jpg',
    available: true,
  }),
  getJwt: {
    name: 'token',
    summary: 'A token of an agency user',
    response: tokenResponse(TOKEN_PARTS.map((part) => Buffer.from(part).toString('base64url')).join('.'), CLAIMS.exp),
  },
  getJwtClaims: { name: 'claims', summary: 'The claims of an agency user', response: CLAIMS },
  getJwks: {
    name: 'keySet',
    summary: 'A set of one key',
    response: {
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
          kid: KEY_ID,
          alg: 'ES256',
          use: 'sig',
        },
      ],
    },
  },
};

/** @returns a part of the catalogue: two metrics, a dimension, an operator and the first three rules */
function fieldsExample() {
  const winRate = describedMetrics().find(({ name }) => name === 'win_rate');
  const status = describedMetrics().find(({ name }) => name === 'campaign_status');
  const hour = describedDimensions().find(({ name }) => name === 'hour');
  return {
    data: {
      metrics: [winRate, status],
      dimensions: [hour],
      operators: describedOperators().filter(({ name }) => name === 'BETWEEN'),
      rules: compatibilityRules().slice(0, 3),
    },
    meta: { timezone: 'America/New_York', currency: CURRENCY },
  };
}

const reportRequest = (period: ExamplePeriod): ReportRequest => ({
  filters: [{ field: 'impressions', operator: 'GREATER_THAN', values: ['100'] }],
  ...period,
  pagination: { offset: 0, size: 100 },
  advertiserIds: [],
  metrics: ['impressions', 'clicks', 'click_through_rate', 'cost'],
  dimensions: ['campaign_name'],
  sort: [{ field: 'cost', order: 'DESC' }],
});

/** `reportResponse` as CSV. */
const REPORT_CSV = [
  'campaign_name,impressions,clicks,click_through_rate,cost',
  '"Saltlark Always On Search",40000,560,0.014,480.5',
  '"Tumblecorn Category Conquest",24000,240,0.01,310.25',
  '',
].join('\r\n');

/** @returns a possible response to `reportRequest`: two campaigns and their totals */
function reportResponse(period: ExamplePeriod): ReportResultResponse {
  const { dimensions, metrics, endDate } = reportRequest(period);
  return {
    headers: [
      ...dimensions.map((name) => ({ name, role: 'dimension' as const, ...column(dimensionOf(name)) })),
      ...metrics.map((name) => ({ name, role: 'metric' as const, ...column(metricOf(name)) })),
    ],
    data: [
      { campaign_name: 'Saltlark Always On Search', ...metricsOf(40_000, 560, 480.5) },
      { campaign_name: 'Tumblecorn Category Conquest', ...metricsOf(24_000, 240, 310.25) },
    ],
    totalCount: 2,
    totals: metricsOf(64_000, 800, 790.75),
    meta: {
      page: { offset: 0, size: 100, hasMore: false },
      timezone: 'America/New_York',
      currency: CURRENCY,
      dataCompleteThrough: endDate,
      dataVersion: '17',
      attribution: { windowDays: 14, basis: 'conversion day' },
      requestId: HEADERS.RequestId.example,
      warnings: [],
    },
  };
}

function metricsOf(impressions: number, clicks: number, cost: number) {
  return { impressions, clicks, click_through_rate: clicks / impressions, cost };
}

function column({ title, type, unit, description }: ReturnType<typeof metricOf> | ReturnType<typeof dimensionOf>) {
  return { title, type, unit: unit === 'currency' ? CURRENCY : unit, description };
}
