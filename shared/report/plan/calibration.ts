import { performance } from 'node:perf_hooks';

/** @returns seconds for which the event loop of this thread has been busy, from any start. */
export type BusyClock = () => number;

/**
 * Counts all time but that of waiting for reads: also what a throttled or shared processor and the garbage collector take, which the thread's CPU time
 * does not include.
 */
const busySeconds: BusyClock = () => performance.eventLoopUtilization().active / 1_000;

/** The factor of an instance is the median of its last reports, so that one report of an unusual shape does not change it. */
const REPORTS = 5;
/** In shorter scans, the fixed costs of a report outweigh what the estimate counts. */
const MIN_SCAN_SECONDS = 0.1;
/** Not below 1, because reports by day, which mostly add up the columns' stored sums, would let heavier ones through to a 504. */
const MIN_FACTOR = 1;
const MAX_FACTOR = 8;

/**
 * How fast this instance scans, compared with the processor on which the constants of the estimate were measured. The state belongs to the instance of the
 * function, as its caches do.
 */
export class Calibration {
  readonly #busySeconds: BusyClock;
  #ratios: readonly number[] = Array.from({ length: REPORTS }, () => 1);

  constructor(clock: BusyClock = busySeconds) {
    this.#busySeconds = clock;
  }

  /** The time that scanning takes / the time that was estimated, between 1 and 8; 1 until three of the last five reports were slower. */
  get factor(): number {
    const median = this.#ratios.toSorted((a, b) => a - b)[(REPORTS - 1) / 2] ?? 1;
    return Math.min(Math.max(median, MIN_FACTOR), MAX_FACTOR);
  }

  /**
   * Measures a scan. A scan that fails is not counted.
   * @param estimate the seconds that the finished scan was expected to take, without any factor
   * @returns the result of the scan
   */
  async measure<T>(scan: () => Promise<T>, estimate: (result: T) => number): Promise<T> {
    const startedAt = this.#busySeconds();
    const result = await scan();
    const estimated = estimate(result);
    if (estimated >= MIN_SCAN_SECONDS) {
      this.#ratios = [...this.#ratios.slice(1), (this.#busySeconds() - startedAt) / estimated];
    }
    return result;
  }
}
