import { MAX_REPORT_DAYS } from '../../../shared/contract/report/report-limits.ts';
import { KEY_HEADER } from '../../../shared/http/api-key.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { ROUTES, type Route } from '../../config/routes.ts';

/** Nearly the longest period that a report accepts: the platform's day may differ from the UTC day. */
const DAYS_BACK = MAX_REPORT_DAYS - 7;

/** A deployed API, as a caller sees it. */
export interface Target {
  /** Ends in `/v2`. */
  readonly url: string;
  readonly key: string;
}

interface Received {
  readonly body: Record<string, unknown>;
  /** Until the whole response had arrived. */
  readonly ms: number;
}

/** @throws an error with the beginning of the body if the status is not 200 */
export async function request({ url, key }: Target, path: string, init: RequestInit = {}): Promise<Received> {
  const started = performance.now();
  const headers = { [KEY_HEADER]: key, ...Object(init.headers) };
  const response = await fetch(url + path, { ...init, headers, redirect: 'error' });
  const text = await response.text();
  const ms = performance.now() - started;
  if (response.status !== 200) throw new Error(`${path}: the status is ${response.status}: ${text.slice(0, 300)}`);
  return { body: JSON.parse(text), ms };
}

/** Sends `count` valid requests to each route, one after another. @returns the times in ms by route. @throws Error if a response is not that of the contract */
export async function requestRoutes(
  target: Target,
  count: number,
  signal?: AbortSignal,
): Promise<Map<string, number[]>> {
  const ids = { account: '', adGroup: '', token: '' };
  const times = new Map<string, number[]>();
  for (const route of ROUTES) {
    const ofRoute: number[] = [];
    times.set(`${route.method} ${route.path}`, ofRoute);
    while (ofRoute.length < count) {
      signal?.throwIfAborted();
      const { body, ms } = await request(target, ...requestFor(route, ids));
      const read = route.operation.response.safeParse(body);
      if (!read.success)
        throw new Error(`${route.path}: not the response of the contract: ${read.error.issues[0]?.message}`);
      const [first] = Array.isArray(body.data) ? body.data : [];
      if (route.id === 'listAccounts') ids.account = first?.id ?? fail('the user of the key has no account');
      if (route.id === 'listAdGroups') ids.adGroup = first?.id ?? fail('the first account has no ad group');
      if (route.id === 'getJwt') ids.token = String(body.token);
      ofRoute.push(ms);
    }
  }
  return times;
}

function fail(message: string): never {
  throw new Error(message);
}

/** @param ids those in the responses of earlier routes */
function requestFor(
  { id, path, operation }: Route,
  ids: Readonly<Record<'account' | 'adGroup' | 'token', string>>,
): [string, RequestInit?] {
  if (id === 'getJwtClaims') return [path, { headers: { Authorization: `Bearer ${ids.token}` } }];
  if (id === 'submitReport') return ['/report/pla', reportOf(['ad_group_id', 'month_date'])];
  if (id === 'getReport') return ['/report/pla?by=ad_group_id,month_date&metrics=cost&start=today-27d&end=today'];
  if (path.includes('{')) return [path.replace('{ad_group_id}', ids.adGroup)];
  // a listing that is not of an account ignores the parameter
  return [operation.paged && id !== 'listAccounts' ? `${path}?account_id=${ids.account}` : path];
}

export function reportOf(dimensions: readonly string[]): RequestInit {
  const today = dayNumber(new Date().toISOString().slice(0, 10));
  const period = { startDate: formatDay(today - DAYS_BACK), endDate: formatDay(today) };
  const rest = { advertiserIds: [], filters: [], sort: [], pagination: { offset: 0, size: 1000 } };
  const body = JSON.stringify({ ...period, dimensions, metrics: ['impressions', 'clicks', 'cost'], ...rest });
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
}
