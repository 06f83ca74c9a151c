import * as z from 'zod';
import { OPERATIONS } from '../../shared/contract/openapi/operations.ts';
import { MAX_REPORT_DAYS } from '../../shared/contract/report/report-limits.ts';
import { KEY_HEADER } from '../../shared/http/api-key.ts';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { PROBLEMS, type ProblemCode } from '../../shared/lib/errors.ts';
import { ROUTES } from '../config/routes.ts';
import type { Checklist } from './checklist.ts';

const REPORT_DAYS = 30;
/** Nearly the longest period that a report accepts: the platform's day may differ from the UTC day. */
const DAYS_BACK = MAX_REPORT_DAYS - 7;

interface SmokeRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface SmokeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly ms: number;
}

const Problem = z.object({ code: z.string(), requestId: z.string(), detail: z.string() });
const Page = z.object({ data: z.array(z.record(z.string(), z.unknown())), meta: z.object({}).loose() });
const Fields = z.object({ data: z.object({ metrics: z.array(z.unknown()), dimensions: z.array(z.unknown()) }) });
const KeySet = z.object({ keys: z.array(z.unknown()).min(1) });
const Report = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  totalCount: z.int(),
  meta: z.object({ dataCompleteThrough: z.string().nullable(), requestId: z.string() }).loose(),
});

/**
 * Sends requests to every route, as a caller does, and checks the responses: listings, reports, tokens, errors and compression. It writes only what any
 * request writes: the use of the key, the point in time as of which its user sees contacts and addresses, and rows of reports, which expire after 15 minutes.
 * @param target its URL ends in `/v2`
 * @returns the request id of a report, to be found in the logs; undefined if none was served
 */
export async function checkRequests(
  target: { readonly url: string; readonly key: string },
  checks: Checklist,
): Promise<string | undefined> {
  const send = (request: SmokeRequest, key = target.key) => sendRequest(target.url, request, key);
  const accountId = await checkListings(send, checks);
  if (accountId === undefined) return undefined;
  await checkErrors(send, checks);
  await checkTokens(send, checks);
  return checkReports(send, checks);
}

/** @param key default: the target's; empty: the request has none */
type Send = (request: SmokeRequest, key?: string) => Promise<SmokeResponse>;

/** @returns one of the caller's accounts; undefined if the first listing failed, so that nothing else can be checked */
async function checkListings(send: Send, checks: Checklist): Promise<number | undefined> {
  const list = async (path: string) => {
    const response = await send({ path });
    const { data } = Page.parse(bodyOf(response, 200));
    return { data, seen: `${data.length} items on the first page, ${response.ms} ms` };
  };
  let accountId: number | undefined;
  await checks.run('GET /metadata/accounts', async () => {
    const { data, seen } = await list('/metadata/accounts');
    const id = data[0]?.id;
    if (typeof id !== 'number') throw new Error('the user of the key has no account: use a key of a user who has one');
    accountId = id;
    return seen;
  });
  if (accountId === undefined) return undefined;
  for (const { id, path } of ROUTES) {
    if (!OPERATIONS[id]?.paged || path.includes('{') || path === '/metadata/accounts') continue;
    // a listing that is not of an account ignores the parameter
    await checks.run(`GET ${path}`, async () => (await list(`${path}?account_id=${accountId}`)).seen);
  }
  await checks.run('GET /metadata/fields', async () => {
    const { metrics, dimensions } = Fields.parse(bodyOf(await send({ path: '/metadata/fields' }), 200)).data;
    return `${metrics.length} metrics and ${dimensions.length} dimensions`;
  });
  return accountId;
}

async function checkErrors(send: Send, checks: Checklist): Promise<void> {
  const json = { 'Content-Type': 'application/json' };
  const report = (body: string, headers: SmokeRequest['headers'] = json) => ({
    path: '/report/pla',
    method: 'POST',
    headers,
    body,
  });
  const accounts = { path: '/metadata/accounts' };
  const cases: readonly (readonly [string, ProblemCode, SmokeRequest, string?])[] = [
    ['no key', 'KEY_MISSING', accounts, ''],
    ['a wrong key', 'KEY_INVALID', accounts, 'not-a-key'],
    ['an unknown path', 'NOT_FOUND', { path: '/metadata/nothing' }],
    ['a wrong method', 'METHOD_NOT_ALLOWED', { path: '/metadata/accounts', method: 'DELETE' }],
    ['a foreign account', 'ACCOUNT_FORBIDDEN', { path: '/metadata/contacts?account_id=999999999' }],
    ['an unknown ad group', 'AD_GROUP_NOT_FOUND', { path: '/ad_groups/999999999/available_products' }],
    ['a body that is not JSON', 'MALFORMED_JSON', report('{"startDate": ')],
    ['an incomplete body', 'INVALID_REQUEST', report('{}')],
    ['another media type', 'UNSUPPORTED_MEDIA_TYPE', report('a=1', { 'Content-Type': 'text/plain' })],
  ];
  for (const [what, code, request, key] of cases) {
    const { status } = PROBLEMS[code];
    await checks.run(`${status} for ${what}`, async () => {
      const response = await send(request, key);
      const problem = Problem.parse(bodyOf(response, status));
      const type = response.headers.get('Content-Type') ?? 'none';
      if (problem.code !== code) throw new Error(`the code is ${problem.code} instead of ${code}`);
      if (!type.startsWith('application/problem+json')) throw new Error(`the media type is ${type}`);
      return `${code}, “${problem.detail}”`;
    });
  }
}

async function checkTokens(send: Send, checks: Checklist): Promise<void> {
  const Claims = z.object({ sub: z.string(), iss: z.string(), exp: z.number() }).loose();
  await checks.run('GET /jwt and /jwt/claims', async () => {
    const { token } = z.object({ token: z.string() }).parse(bodyOf(await send({ path: '/jwt' }), 200));
    const headers = { Authorization: `Bearer ${token}` };
    const { iss, exp } = Claims.parse(bodyOf(await send({ path: '/jwt/claims', headers }), 200));
    return `signed and verified; issuer ${iss}, expires ${new Date(exp * 1000).toISOString()}`;
  });
  await checks.run('GET /.well-known/jwks.json', async () => {
    const { keys } = KeySet.parse(bodyOf(await send({ path: '/.well-known/jwks.json' }), 200));
    return `${keys.length} public keys`;
  });
}

/** @returns the request id of the last report; undefined if none was served */
async function checkReports(send: Send, checks: Checklist): Promise<string | undefined> {
  let requestId: string | undefined;
  const post = (experience: string, body: object, coding = 'identity') =>
    send({
      path: `/report/${experience}`,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Accept-Encoding': coding },
      body: JSON.stringify({ advertiserIds: [], filters: [], sort: [], ...body }),
    });
  const today = dayNumber(new Date().toISOString().slice(0, 10));
  for (const experience of ['pla', 'toa', 'carousel']) {
    let adGroup: unknown;
    await checks.run(`POST /report/${experience}`, async () => {
      const any = {
        startDate: formatDay(today - DAYS_BACK),
        endDate: formatDay(today),
        dimensions: ['ad_group_id'],
        metrics: ['impressions'],
        pagination: { offset: 0, size: 1 },
      };
      const { data, meta } = Report.parse(bodyOf(await post(experience, any), 200));
      const last = meta.dataCompleteThrough;
      requestId = meta.requestId;
      adGroup = data[0]?.ad_group_id;
      if (last === null || adGroup === undefined) return 'the user of the key sees no delivery';
      const days = {
        startDate: formatDay(dayNumber(last) - REPORT_DAYS + 1),
        endDate: last,
        dimensions: ['ad_group_id', 'daily_date'],
        metrics: ['impressions', 'clicks', 'cost'],
        pagination: { offset: 0, size: 1000 },
      };
      const plain = await post(experience, days);
      const { data: rows, totalCount } = Report.parse(bodyOf(plain, 200));
      const packed = await post(experience, days, 'gzip');
      requestId = Report.parse(bodyOf(packed, 200)).meta.requestId;
      const seen = `${totalCount} rows of ${REPORT_DAYS} days through ${last}, ${plain.ms} ms`;
      // API Gateway compresses responses from 1 KiB
      if (rows.length <= 20) return `${seen}; too few to be compressed`;
      checkCompressed(plain, packed);
      return `${seen}, equal with gzip`;
    });
    if (adGroup === undefined) continue;
    await checks.run(`GET /ad_groups/${adGroup}/available_products`, async () => {
      const response = await send({ path: `/ad_groups/${adGroup}/available_products` });
      return `${Page.parse(bodyOf(response, 200)).data.length} products on the first page, ${response.ms} ms`;
    });
  }
  return requestId;
}

function checkCompressed(plain: SmokeResponse, packed: SmokeResponse): void {
  const coding = packed.headers.get('Content-Encoding');
  if (coding !== 'gzip') throw new Error(`a client that accepts gzip gets the encoding ${coding ?? 'identity'}`);
  const rows = (response: SmokeResponse) => JSON.stringify(Report.parse(JSON.parse(response.text)).data);
  if (rows(plain) !== rows(packed)) throw new Error('the compressed report has other rows than the plain one');
}

/** @throws an error with the beginning of the body if the status is another */
function bodyOf({ status, text }: SmokeResponse, expected: number): unknown {
  if (status !== expected) throw new Error(`the status is ${status} instead of ${expected}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

async function sendRequest(url: string, request: SmokeRequest, key: string): Promise<SmokeResponse> {
  const { path, method = 'GET', headers, body } = request;
  const started = performance.now();
  const response = await fetch(url + path, {
    method,
    headers: { ...(key === '' ? {} : { [KEY_HEADER]: key }), ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: 'error',
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, ms: Math.round(performance.now() - started) };
}
