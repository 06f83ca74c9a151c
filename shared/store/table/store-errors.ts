import { ApiError } from '../../lib/errors.ts';

const RETRY_LATER = { 'Retry-After': '1' };

const BUSY_ERRORS: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
]);

const UNREACHABLE_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** @returns STORE_BUSY for an error of the SDK that a later retry can resolve, else the error itself */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return BUSY_ERRORS.has(error.name) || isUnreachable(error) ? storeBusy(error) : error;
}

/** @returns whether the error of the SDK says that a service of AWS does not respond */
export function isUnreachable(error: Error): boolean {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.name === 'TimeoutError' || UNREACHABLE_CODES.has(code);
}

/** @returns whether the error is STORE_BUSY: of the table, of KMS (`signing-key.ts`), or because of another load in progress (`lease.ts`) */
export function isStoreBusy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'STORE_BUSY';
}

/** @returns STORE_BUSY for a table that is overloaded or unreachable */
export function storeBusy(cause?: unknown): ApiError {
  const detail = 'The data store is overloaded or unreachable at the moment. Try again in a second.';
  return new ApiError('STORE_BUSY', detail, { headers: RETRY_LATER, cause });
}

/** @param what what is missing or incomplete, for the log only */
export function storeInconsistent(what: string): ApiError {
  const detail = 'Part of the data is not readable at the moment. Try again in a second.';
  return new ApiError('STORE_INCONSISTENT', detail, {
    headers: RETRY_LATER,
    cause: new Error(`incomplete data: ${what}`),
  });
}
