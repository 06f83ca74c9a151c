import { performance } from 'node:perf_hooks';

/** @returns seconds for which the event loop of this thread has been busy, from any start. */
export type BusyClock = () => number;

/**
 * Counts all time but that of waiting for reads: also what a throttled or shared processor and the garbage collector take, which the thread's CPU time
 * does not include.
 */
const busySeconds: BusyClock = () => performance.eventLoopUtilization().active / 1_000;

/** The factor of an instance is the median of its last reports, so that neither one or two reports of an unusual shape nor one or two users decide it. */
const REPORTS = 5;
/** In shorter scans, the fixed costs of a report outweigh what the estimate counts. */
const MIN_SCAN_SECONDS = 0.1;
/** Not below 1, because reports by day, which mostly add up the columns' stored sums, would let heavier ones through to a 504. */
const MIN_FACTOR = 1;
/** Slow reports of some users raise the factor for all. Even then, a report whose estimate is a third of the limit or less is not rejected. */
export const MAX_FACTOR = 3;
/** Measurements expire, because slowness, such as that of a shared processor, is temporary. */
const LIFETIME_MS = 10 * 60_000;

interface Measurement {
  readonly userId: string;
  /** The time that the scan took / the time that was estimated. */
  readonly ratio: number;
  readonly at: number;
}

/**
 * How fast this instance scans, compared with the processor on which the constants of the estimate were measured. The state belongs to the instance of the
 * function, as its caches do. All users share it, so each has at most one report in it.
 */
export class Calibration {
  readonly #busySeconds: BusyClock;
  readonly #now: () => number;
  #measurements: readonly Measurement[] = [];
  /** By user, when `forgetOldest` last removed a measurement for them. */
  readonly #forgotAt = new Map<string, number>();

  /** @param now milliseconds, from any start */
  constructor(clock: BusyClock = busySeconds, now: () => number = Date.now) {
    this.#busySeconds = clock;
    this.#now = now;
  }

  /** The time that scanning takes / the time that was estimated, between 1 and 3; 1 until reports of three users were slower within ten minutes. */
  get factor(): number {
    const since = this.#now() - LIFETIME_MS;
    const ratios = this.#measurements.filter(({ at }) => at > since).map(({ ratio }) => ratio);
    while (ratios.length < REPORTS) ratios.push(1);
    const median = ratios.sort((a, b) => a - b)[(REPORTS - 1) / 2] ?? 1;
    return Math.min(Math.max(median, MIN_FACTOR), MAX_FACTOR);
  }

  /**
   * Measures a scan, in place of an earlier one of the same user. A scan that fails is not counted.
   * @param estimate the seconds that the finished scan was expected to take, without any factor; 0 where it is no measure of the instance's speed
   * @returns the result of the scan
   */
  async measure<T>(userId: string, scan: () => Promise<T>, estimate: (result: T) => number): Promise<T> {
    const startedAt = this.#busySeconds();
    const result = await scan();
    const estimated = estimate(result);
    if (estimated >= MIN_SCAN_SECONDS) {
      const ratio = (this.#busySeconds() - startedAt) / estimated;
      const others = this.#measurements.filter((measurement) => measurement.userId !== userId);
      this.#measurements = [...others, { userId, ratio, at: this.#now() }].slice(-REPORTS);
    }
    return result;
  }

  /**
   * Forgets the oldest measurement. Call it where a report is rejected only because of the factor: an instance that rejects its reports measures none, and
   * would keep the factor until its measurements expire. Each user can remove one in ten minutes, so that nobody alone can reset what others have measured.
   */
  forgetOldest(userId: string): void {
    const now = this.#now();
    for (const [user, at] of this.#forgotAt) if (at <= now - LIFETIME_MS) this.#forgotAt.delete(user);
    this.#measurements = this.#measurements.filter(({ at }) => at > now - LIFETIME_MS);
    if (this.#measurements.length === 0 || this.#forgotAt.has(userId)) return;
    this.#forgotAt.set(userId, now);
    this.#measurements = this.#measurements.slice(1);
  }
}
