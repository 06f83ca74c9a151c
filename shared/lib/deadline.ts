import { type Clock, elapsedClock } from './clock.ts';
import { ApiError } from './errors.ts';

/** Maximum time of work that is not necessary, while the client waits. */
const OPTIONAL_MS = 3_000;

/** The time by which a request must be done. A timer cannot interrupt synchronous work, so long work calls `check` between its parts. */
export class Deadline {
  /** A time of `elapsedClock`. */
  readonly at: number;
  readonly #now: Clock;
  #steps = 0;

  constructor(at: number, now: Clock = elapsedClock) {
    this.at = at;
    this.#now = now;
  }

  get isExceeded(): boolean {
    return this.#now() >= this.at;
  }

  get msLeft(): number {
    return this.at - this.#now();
  }

  /** @returns the deadline of work that is not necessary: in three seconds, or earlier, when half of the time left has passed */
  forOptional(): Deadline {
    return new Deadline(this.#now() + Math.min(OPTIONAL_MS, Math.max(0, this.msLeft / 2)), this.#now);
  }

  /** @throws ApiError DEADLINE_EXCEEDED */
  check(): void {
    if (this.isExceeded) throw deadlineExceeded();
  }

  /**
   * Checks before every 16th of many small steps, because reading the clock takes longer than most of them.
   * @throws ApiError DEADLINE_EXCEEDED
   */
  checkStep(): void {
    if (this.#steps++ % 16 === 0) this.check();
  }
}

/** For work whose time is not limited. */
export const NO_DEADLINE = new Deadline(Number.POSITIVE_INFINITY, () => 0);

/** The detail of every 504: the functions send it, or the gateway, if a function sends nothing. */
export const DEADLINE_DETAIL =
  'The response was not ready in time. Try again; for a report, request fewer days or rows.';

export function deadlineExceeded(): ApiError {
  return new ApiError('DEADLINE_EXCEEDED', DEADLINE_DETAIL);
}

/**
 * @returns the result of the work
 * @throws ApiError DEADLINE_EXCEEDED if the work is not done by the deadline; the work itself continues
 */
export async function withDeadline<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(deadlineExceeded()), Math.max(0, deadline.msLeft));
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
