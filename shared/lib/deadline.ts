import { ApiError } from './errors.ts';

/** Units of work between two readings of the clock: at most 20 ms. */
const UNITS_PER_CHECK = 10_000;
/** Maximum number of rows between two checks of the deadline, in loops with little work per row. */
export const ROWS_PER_CHECK = 32_768;
/** Maximum time without a turn of the event loop: a timer of 100 ms, such as that of the limit of concurrent reports, must not wait for seconds. */
const MAX_BUSY_MS = 50;

/**
 * The time by which a request must be done. A timer cannot interrupt synchronous work, so work checks the deadline itself: whatever may take more
 * than 50 ms calls `check` or `spend` meanwhile. Between its steps it takes turns (`turns.ts`).
 */
export class Deadline {
  /** On the clock of `performance.now()`. */
  readonly at: number;
  readonly #now: () => number;
  #unitsLeft = UNITS_PER_CHECK;
  #lastTurn: number;
  #isTurnDue = false;

  constructor(at: number, now: () => number = () => performance.now()) {
    this.at = at;
    this.#now = now;
    this.#lastTurn = now();
  }

  get isExceeded(): boolean {
    return this.#now() >= this.at;
  }

  get msLeft(): number {
    return this.at - this.#now();
  }

  /** @returns the deadline of work that is not necessary: in `ms`, or earlier, when half of the time left has passed */
  forOptional(ms: number): Deadline {
    const now = this.#now();
    return new Deadline(now + Math.min(ms, Math.max(0, (this.at - now) / 2)), this.#now);
  }

  /** Whether the work has had no turn for 50 ms, as of the last check. It reads no clock, so loops can use it for every item. */
  get isTurnDue(): boolean {
    return this.#isTurnDue;
  }

  /** @throws ApiError DEADLINE_EXCEEDED */
  check(): void {
    const now = this.#now();
    if (now >= this.at) throw deadlineExceeded();
    this.#isTurnDue = now - this.#lastTurn >= MAX_BUSY_MS;
  }

  /** Call it after a turn of the event loop (`takeTurn` of `turns.ts`). */
  beginTurn(): void {
    this.#lastTurn = this.#now();
    this.#isTurnDue = false;
  }

  /**
   * Counts work, and checks the deadline from time to time.
   * @param units of at most 2 µs, such as one iteration of a loop that looks something up
   * @throws ApiError DEADLINE_EXCEEDED
   */
  spend(units = 1): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft > 0) return;
    this.#unitsLeft = UNITS_PER_CHECK;
    this.check();
  }

  /** Calls `work` for the rows [from, to) of one part after the other, and checks the deadline before each. @throws ApiError DEADLINE_EXCEEDED */
  forEachPart(rows: number, work: (from: number, to: number) => void, partRows = ROWS_PER_CHECK): void {
    for (let from = 0; from < rows; from += partRows) {
      this.check();
      work(from, Math.min(rows, from + partRows));
    }
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
