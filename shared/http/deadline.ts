import { ApiError } from '../lib/errors.ts';

/** So long before the function's own time limit the caller is told: with 28 s, after 25 s. */
export const RESERVE_MS = 3_000;

/** @returns what the caller is told whose answer is not ready in time */
export function deadlineExceeded(): ApiError {
  return new ApiError(
    'DEADLINE_EXCEEDED',
    'The answer was not ready in time. Try again; ask a report for fewer days or rows.',
  );
}

/**
 * Middy times the handler only: what the chain asks before that, of the table and of KMS, is timed by this.
 * @param deadline when the caller is to be told, on the clock of `performance.now()`
 * @throws ApiError DEADLINE_EXCEEDED when the work is not done by then
 */
export async function withDeadline<T>(deadline: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(deadlineExceeded()), Math.max(0, deadline - performance.now()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
