import { ApiError } from '../../lib/errors.ts';

const RETRY_LATER = { 'Retry-After': '1' };

const BUSY_ERRORS: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
]);

const BUSY_CODES: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/** @returns STORE_BUSY for an error of the SDK that a later retry can resolve, else the error itself */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return BUSY_ERRORS.has(error.name) || BUSY_CODES.has(code) ? storeBusy(error) : error;
}

export function isStoreBusy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'STORE_BUSY';
}

export function storeBusy(cause?: unknown): ApiError {
  const detail = 'The data store is overloaded or unreachable at the moment. Try again in a second.';
  return new ApiError('STORE_BUSY', detail, { headers: RETRY_LATER, cause });
}

/** @param where the keys of the missing items, for the log only */
export function storeInconsistent(where: string): ApiError {
  const detail = 'Part of the data is not readable at the moment. Try again in a second.';
  return new ApiError('STORE_INCONSISTENT', detail, {
    headers: RETRY_LATER,
    cause: new Error(`items are missing: ${where}`),
  });
}
