import { retryAfterOf } from './endcap-error.ts';

export interface RetryOptions {
  /** Maximum number of retries of one request; 3 by default, 0 for none. */
  readonly retries?: number;
  /** A response that asks for a longer wait than this, in seconds, is not retried; 30 by default. */
  readonly maxRetryAfter?: number;
}

export type Fetch = (request: Request) => Promise<Response>;

/** Wait before the first retry if the response states none; it doubles with every retry. */
const FIRST_WAIT_S = 0.25;

/** Too many requests, an overloaded service, and a gateway that lost it. Other responses would be the same again. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503]);

/**
 * @returns a `fetch` that repeats a request that failed for a passing reason. Every request of the API only reads, so all may be repeated.
 * It waits as long as `Retry-After` asks, else a random part of a doubling time; an abort ends the wait.
 */
export function fetchWithRetries(fetch: Fetch, { retries = 3, maxRetryAfter = 30 }: RetryOptions): Fetch {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      const backoff = FIRST_WAIT_S * 2 ** attempt * (0.5 + Math.random() / 2);
      let wait = backoff;
      try {
        const response = await fetch(isLast ? request : request.clone());
        if (isLast || !RETRIED.has(response.status)) return response;
        wait = retryAfterOf(response) ?? backoff;
        if (wait > maxRetryAfter) return response;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted || !(error instanceof TypeError)) throw error;
      }
      await sleep(wait, request.signal);
    }
  };
}

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
