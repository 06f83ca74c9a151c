import { dayNumber, formatDay } from '../../lib/calendar.ts';
import { MAX_REPORT_DAYS } from './report-limits.ts';

/** Nearly the longest period that a report accepts: the platform's day may differ from the UTC day. */
const DAYS_BACK = MAX_REPORT_DAYS - 7;

/** A row of the route table, of which only this is used. */
export interface RequestedRoute {
  readonly id: string;
  readonly path: string;
}

/** The routes whose responses have what requests to other routes need. */
export const SOURCE_ROUTES: readonly string[] = ['listAccounts', 'listAdGroups', 'getJwt'];

/**
 * Sends a valid request to each route, one after another, with ids and a token of earlier responses.
 * @param routes in the order of the route table, among them SOURCE_ROUTES
 * @param send returns the members of the response's JSON
 * @throws Error if the user of the key has no account or no ad group; what `send` throws
 */
export async function sendContractRequests<Route extends RequestedRoute>(
  routes: readonly Route[],
  send: (route: Route, path: string, init?: RequestInit) => Promise<Record<string, unknown>>,
): Promise<void> {
  const ids = { account: '', adGroup: '', token: '' };
  for (const route of routes) {
    const body = await send(route, ...requestFor(route, ids));
    const first = Array.isArray(body.data) ? (body.data[0] ?? {}) : {};
    if (route.id === 'listAccounts') ids.account = first.id ?? fail('the user of the key has no account');
    if (route.id === 'listAdGroups') ids.adGroup = first.id ?? fail('the first account has no ad group');
    if (route.id === 'getJwt') ids.token = String(body.token);
  }
}

function fail(message: string): never {
  throw new Error(message);
}

function requestFor(
  { id, path }: RequestedRoute,
  ids: Readonly<Record<'account' | 'adGroup' | 'token', string>>,
): [string, RequestInit?] {
  if (id === 'getJwtClaims') return [path, { headers: { Authorization: `Bearer ${ids.token}` } }];
  if (id === 'serveMcp') return [path, postOf({ jsonrpc: '2.0', id: 1, method: 'tools/list' })];
  if (id === 'submitReport') return ['/report/pla', reportOf(['ad_group_id', 'month_date'])];
  if (id === 'getReport') return ['/report/pla?by=ad_group_id,month_date&metrics=cost&start=today-27d&end=today'];
  if (path.includes('{')) return [path.replace('{ad_group_id}', ids.adGroup)];
  // listings that are not of an account ignore the parameter
  const isOfAccount = path.startsWith('/metadata/') && id !== 'listAccounts';
  return [isOfAccount ? `${path}?account_id=${ids.account}` : path];
}

export function reportOf(dimensions: readonly string[]): RequestInit & { readonly body: string } {
  const today = dayNumber(new Date().toISOString().slice(0, 10));
  const period = { startDate: formatDay(today - DAYS_BACK), endDate: formatDay(today) };
  const rest = { advertiserIds: [], filters: [], sort: [], pagination: { offset: 0, size: 1000 } };
  return postOf({ ...period, dimensions, metrics: ['impressions', 'clicks', 'cost'], ...rest });
}

function postOf(body: object): RequestInit & { readonly body: string } {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
