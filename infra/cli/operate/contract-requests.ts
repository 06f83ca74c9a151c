import { sendContractRequests } from '../../../shared/contract/report/contract-requests.ts';
import { KEY_HEADER } from '../../../shared/http/api-key.ts';
import { ROUTES } from '../../config/routes.ts';

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
  const times = new Map<string, number[]>();
  await sendContractRequests(ROUTES, async (route, path, init) => {
    const ofRoute: number[] = [];
    times.set(`${route.method} ${route.path}`, ofRoute);
    for (;;) {
      signal?.throwIfAborted();
      const { body, ms } = await request(target, path, init);
      const read = route.operation.response.safeParse(body);
      if (!read.success)
        throw new Error(`${route.path}: not the response of the contract: ${read.error.issues[0]?.message}`);
      if (ofRoute.push(ms) >= count) return body;
    }
  });
  return times;
}
