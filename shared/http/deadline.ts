import { type Deadline, deadlineExceeded } from '../lib/deadline.ts';

/** Time reserved for sending the 504: a function with a time limit of 28 s sends it after 25 s. */
export const RESERVE_MS = 3_000;

/**
 * Limits the work that middlewares do before the handler (reads of the table, calls of KMS); middy itself limits the handler only.
 * @returns the result of the work
 * @throws ApiError DEADLINE_EXCEEDED if the work is not done by the deadline
 */
export async function withDeadline<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(deadlineExceeded()), Math.max(0, deadline.at - performance.now()));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
