/** Sends requests to the chain and to Hono in turn, and sends the costs; it has its own process because the chain logs to stdout. */
import { isDeepStrictEqual } from 'node:util';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { submitReportInput } from '../../../shared/contract/report/report-request.ts';
import { listContactsInput } from '../../../shared/contract/resources/contact.ts';
import { METADATA_PAGING } from '../../../shared/contract/resources/paging.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { pageResponse } from '../../../shared/http/page-response.ts';
import { requireAccount } from '../../../shared/http/require-account.ts';
import type { Caller, Identity } from '../../../shared/identity/identity.ts';
import type { ApiKey } from '../../../shared/identity/keys/key-record.ts';
import { KeyLimiter } from '../../../shared/identity/limits/key-limiter.ts';
import { openTable } from '../../../shared/store/table/table.ts';
import { type Cost, measureInTurn } from '../tools/timing.ts';
import { type BenchHandler, benchEvent, withContext } from './bench-event.ts';
import { type ChainWork, honoEndpoints } from './hono-endpoints.ts';

const ROUNDS = 31;
const REQUESTS = 400;
const WARM_UP = 5_000;

const ANA: Caller = { userId: 'ana', name: 'Ana', userType: 'AGENCY', accountIds: new Set([1, 2]), commit: 1 };

const KEY: ApiKey = { id: 'good', digest: 'good', userId: 'ana', createdAt: 0, expiresAt: 1 };

/** Has every kind of limit, none of which the requests reach. Leases fail at once, because there is no table. */
const limiter = new KeyLimiter(
  openTable({ tableName: 'unused', region: 'us-east-1', endpoint: 'http://127.0.0.1:1' }),
  Date.now,
  {
    requestsPerMinute: 1e9,
    concurrentReports: 8,
    dailyReadUnits: 1e9,
  },
);

const identity: Identity = {
  findCaller: async (key) => (key === 'good' ? { caller: ANA, key: KEY } : { reason: 'The API key is unknown.' }),
  admit: (record) => limiter.admit(record),
  refreshCaller: async (caller) => caller,
  verifyToken: async () => ({ reason: 'The requests have no token.' }),
};
const platform = { identity, table: openTable({ tableName: 'unused', region: 'us-east-1' }) };

const PAGE = Array.from({ length: 10 }, (_, i) => ({
  id: 301 + i,
  firstName: `Ana ${i}`,
  lastName: 'Lee',
  email: `ana.${i}@example.com`,
  contactType: 'AGENCY',
  active: true,
  accountIds: [1, 2, 3],
}));

const work: ChainWork = {
  contacts: {
    input: listContactsInput,
    find: (caller) => ({
      items: PAGE.map(({ accountIds, ...contact }) => ({
        ...contact,
        accountIds: accountIds.filter((id) => caller.accountIds.has(id)),
      })),
      total: 40,
    }),
  },
  report: {
    input: submitReportInput,
    run: (experience, { metrics, dimensions }) => ({ headers: [...dimensions, ...metrics], data: [], experience }),
  },
};

const listContacts = withContext(
  endpoint(platform, {
    scope: 'metadata',
    input: work.contacts.input,
    handle: async (request) => {
      const { context, input } = request;
      const caller = await requireAccount(request, input.query.account_id);
      const found = work.contacts.find(caller, input.query.account_id);
      return pageResponse(context.path, input.query, METADATA_PAGING, found);
    },
  }),
);
const submitReport = withContext(
  endpoint(platform, {
    scope: 'report',
    input: work.report.input,
    handle: async ({ input }) => ({ body: work.report.run(input.path.experience_name, input.body) }),
  }),
);
const hono = honoEndpoints(identity, work);

const contactsEvent = (accountId: string, key = 'good') => {
  const query = [
    ['account_id', accountId],
    ['offset', '10'],
    ['size', '10'],
  ] as const;
  return benchEvent(key, { resource: '/metadata/contacts', query });
};

const REPORT = {
  filters: [{ field: 'campaign_name', operator: 'LIKE', values: ['Spring%'] }],
  startDate: '2026-03-01',
  endDate: '2026-03-30',
  pagination: { offset: 0, size: 100 },
  advertiserIds: [11, 12],
  metrics: ['impressions', 'clicks', 'cost', 'halo_transactions', 'halo_revenue', 'halo_roas'],
  dimensions: ['daily_date', 'placement', 'keyword'],
  sort: [{ field: 'cost', order: 'DESC' }],
};
const reportEvent = (experience: string, request: object) => ({
  ...benchEvent('good', {
    method: 'POST',
    resource: '/report/{experience_name}',
    pathParameters: { experience_name: experience },
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify(request),
  }),
});

process.send?.({
  contacts: await compare(listContacts, contactsEvent('1'), [
    contactsEvent('3'),
    contactsEvent('one'),
    contactsEvent('1', 'wrong'),
  ]),
  report: await compare(submitReport, reportEvent('PLA', REPORT), [
    reportEvent('none', REPORT),
    reportEvent('pla', { ...REPORT, endDate: '2026-02-30' }),
    reportEvent('pla', { ...REPORT, metrics: ['click'] }),
  ]),
});

/** @param invalid requests that both sides must reject with the same status */
async function compare(endcap: BenchHandler, event: APIGatewayProxyEvent, invalid: readonly APIGatewayProxyEvent[]) {
  for (const request of [event, ...invalid]) await checkEqual(endcap, request);
  const repeat = (handler: BenchHandler, times: number) => async () => {
    for (let i = 0; i < times; i++) await handler(event);
  };
  for (const handler of [endcap, hono]) await repeat(handler, WARM_UP)();
  const costs = await measureInTurn(ROUNDS, { endcap: repeat(endcap, REQUESTS), hono: repeat(hono, REQUESTS) });
  const perRequest = ({ wallMs, cpuMs }: Cost) => ({
    wallUs: (wallMs / REQUESTS) * 1000,
    cpuUs: (cpuMs / REQUESTS) * 1000,
  });
  return { endcap: perRequest(costs.endcap), hono: perRequest(costs.hono) };
}

/** @throws Error unless both responses have the same status, and with status 200 the same body */
async function checkEqual(endcap: BenchHandler, event: APIGatewayProxyEvent): Promise<void> {
  const [one, other] = [await endcap(event), await hono(event)];
  const isEqual =
    one.statusCode === other.statusCode &&
    (one.statusCode !== 200 || isDeepStrictEqual(JSON.parse(one.body), JSON.parse(other.body)));
  if (!isEqual) {
    throw new Error(`the responses differ: ${one.statusCode} ${one.body} / ${other.statusCode} ${other.body}`);
  }
}
