import { retryAfterOf } from './endcap-error.ts';

export interface RetryOptions {
  /** Maximum number of retries of one request; 3 by default, 0 for none. */
  readonly retries?: number;
  /** A response that asks for a longer wait than this, in seconds, is not retried; 30 by default. */
  readonly maxRetryAfter?: number;
  /** Called before the wait for each retry. */
  readonly onRetry?: (retry: Retry) => void;
}

export interface Retry {
  /** How long the client waits before it repeats the request. */
  readonly seconds: number;
  /** Status of the failed response; undefined if the connection failed. */
  readonly status: number | undefined;
}

export type Fetch = (request: Request) => Promise<Response>;

/** Longest wait before the first retry if the response states none, in seconds; it doubles with every retry. */
const FIRST_WAIT_S = 0.25;

/**
 * A limit is reached (429), a gateway got no valid response from the service (502), or the service is busy (503). After a 504, a retry would probably take
 * too long again.
 */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503]);

/**
 * @returns a `fetch` that repeats a request that failed for a passing reason. All requests of the API may be repeated.
 * It waits as long as `Retry-After` says, else a random time between a half and the whole of a doubling time; an abort ends the wait.
 */
export function fetchWithRetries(fetch: Fetch, { retries = 3, maxRetryAfter = 30, onRetry }: RetryOptions): Fetch {
  return async (request) => {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries;
      let seconds = FIRST_WAIT_S * 2 ** attempt * (0.5 + Math.random() / 2);
      let status: number | undefined;
      try {
        const response = await fetch(isLast ? request : request.clone());
        if (isLast || !RETRIED.has(response.status)) return response;
        const retryAfter = retryAfterOf(response);
        if (retryAfter !== undefined && retryAfter > maxRetryAfter) return response;
        seconds = retryAfter ?? seconds;
        status = response.status;
        await response.body?.cancel();
      } catch (error) {
        if (isLast || request.signal.aborted || !(error instanceof TypeError)) throw error;
      }
      onRetry?.({ seconds, status });
      await sleep(seconds, request.signal);
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
