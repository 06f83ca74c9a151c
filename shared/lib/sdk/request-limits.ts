const CONNECT_MS = 500;

/**
 * @param requestMs maximum time until a response begins, and between two parts of it
 * @returns the options of the SDK's request handler; the SDK itself would wait without a limit
 */
export function requestLimits(requestMs: number, connectMs = CONNECT_MS) {
  return {
    connectionTimeout: connectMs,
    requestTimeout: requestMs,
    throwOnRequestTimeout: true,
    socketTimeout: requestMs,
  };
}
