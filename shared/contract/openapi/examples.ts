import { compatibilityRules } from '../../catalog/describe/compatibility.ts';
import { describedDimensions, describedMetrics, describedOperators } from '../../catalog/describe/describe-fields.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { metricOf } from '../../catalog/metrics.ts';
import type { ReportRequest } from '../report/report-request.ts';
import type { ReportResultResponse } from '../report/report-response.ts';
import { formatToken } from '../resources/change.ts';
import { tokenResponse } from '../resources/jwt.ts';
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

/** @returns the examples by operation id, of all operations but listings; the example report covers `period`, a fixed week by default */
export function openApiExamples(period: ExamplePeriod = ANY_PERIOD): Readonly<Record<string, OperationExamples>> {
  const summary = 'The campaigns of a week, those with the highest cost first';
  const getReport = { name: 'campaignsByCostAsUrl', summary, response: reportResponse(period), csv: REPORT_CSV };
  const submitReport = { ...getReport, name: 'campaignsByCost', body: reportRequest(period) };
  return { ...EXAMPLES, submitReport, getReport };
}

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
  listFields: {
    name: 'fields',
    summary: 'Some fields, an operator and some rules',
    response: fieldsExample(),
  },
  listChanges: {
    name: 'changes',
    summary: 'A restated day of an advertiser and its changed campaigns',
    response: {
      data: [
        {
          ...{ advertiserId: 2001, experience: 'pla', table: 'delivery', from: '2026-02-26', to: '2026-02-26' },
          ...{ changedAt: '2026-03-01T06:12:09.417Z', kind: 'restated' },
        },
      ],
      listings: [{ name: 'campaigns', changedAt: '2026-03-01T06:12:09.417Z' }],
      meta: {
        next: formatToken({ network: 'q3ft8W_a', at: Date.parse('2026-03-01T06:12:09.417Z') }),
        ...{ advertiserIds: [2001, 2002], page: { size: 1000, hasMore: false } },
      },
    },
  },
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
    meta: { timezone: 'America/New_York', currency: CURRENCY, weekStartsOn: 'Monday', fieldsWithoutData: {}, days: {} },
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
      period,
      timezone: 'America/New_York',
      currency: CURRENCY,
      data: {
        from: '2025-12-02',
        through: endDate,
        missingDays: [],
        missingDayCount: 0,
        gaps: [],
        gapDayCount: 0,
        tables: [],
      },
      dataCompleteThrough: endDate,
      dataFinalThrough: null,
      dataVersion: '7c9e6679f2a14b3d',
      dataUpdatedAt: '2026-03-02T06:12:09.417Z',
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
