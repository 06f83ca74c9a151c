import { THROUGH_PROXY } from './proxy.ts';

/** Time limit of one attempt, unless the caller has another one. A read makes up to four, so a service that does not respond takes about 12 s of the gateway's 29 s. */
export const ATTEMPT_MS = 3_000;
/** That of a loader, whose large writes may wait for one another. */
export const LOADER_ATTEMPT_MS = 10_000;
/** That where the service may be far away, behind an upload on a slow link, or an emulator with one thread for all calls. */
export const SLOW_ATTEMPT_MS = 60_000;
/** A connection within a region takes some milliseconds, but this time also passes while the event loop is busy. */
const CONNECT_MS = 1_000;

/**
 * @param requestMs maximum milliseconds until a response begins, and between two parts of it
 * @param connectMs maximum milliseconds until a connection is open, default 1,000
 * @returns the options of the SDK's request handler, which uses proxies; the SDK itself would wait without a limit
 */
export function requestLimits(requestMs: number, connectMs = CONNECT_MS) {
  return {
    ...THROUGH_PROXY,
    connectionTimeout: connectMs,
    requestTimeout: requestMs,
    throwOnRequestTimeout: true,
    socketTimeout: requestMs,
  };
}
