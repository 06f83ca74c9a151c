import { DEMO_KEYS } from '../../../infra/local/demo/demo-keys.ts';
import { listKeys, setKey } from '../../../shared/identity/api-keys.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import type { Random } from '../../oracle/random/random.ts';
import type { InjectRequest } from '../../support/gateway-server.ts';
import { type OperationRequest, type RequestPool, randomRequest } from './random-request.ts';

/** Values of the demo network, and some that it does not have. */
const DEMO_POOL: RequestPool = {
  ids: [1001, 1002, 1003, 1004, 1005, 1999, 2001, 2002, 2007, 2999, 60_001, 60_011, 70_001, 70_002, 70_010, 79_999],
  advertiserIds: [2001, 2002, 2003],
  texts: [
    'chips',
    'granola',
    'potato chips',
    'Saltlark',
    'Saltlark Always On Search',
    'National brand',
    'ONLINE',
    'ACTIVE',
    'é',
    '\u{1F600}',
  ],
  dates: [
    '2025-12-02',
    '2026-01-31',
    '2026-02-01',
    '2026-02-14',
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ],
};

/** Limits that no test reaches, for keys of tests of other things. */
export const NO_LIMITS = { requestsPerMinute: 1_000_000, concurrentReports: 1_000, dailyReadUnits: 1_000_000_000_000 };

/** Sets `NO_LIMITS` for all keys of the demo's users. */
export async function liftKeyLimits(table: Table): Promise<void> {
  for (const userId of Object.values(DEMO_KEYS)) {
    for (const { id } of await listKeys(table, userId)) await setKey(table, userId, id, NO_LIMITS);
  }
}

/** @returns random requests of both demo keys, as they are sent to the stage */
export function demoRequests(random: Random, count: number): InjectRequest[] {
  return Array.from({ length: count }, () => {
    return toHttp(randomRequest(random, DEMO_POOL), random.pick(Object.keys(DEMO_KEYS)));
  });
}

export function toHttp({ method, path, pathParameters, query, body }: OperationRequest, key: string): InjectRequest {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(pathParameters[name] ?? ''));
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
  const url = `/v2${filled}${search === '' ? '' : `?${search}`}`;
  const headers = { 'Ocp-Apim-Subscription-Key': key };
  if (body === undefined) return { method, url, headers };
  return { method, url, headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
