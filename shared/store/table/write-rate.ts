import { setTimeout as sleep } from 'node:timers/promises';

/** A rate is decreased to this share of itself or of what the table last accepted, whichever is less. */
const DECREASE = 0.7;
/** It is increased by this share of the rate after the decrease, every second. */
const INCREASE_PER_SECOND = 0.04;
const MIN_UNITS_PER_SECOND = 5;
/**
 * Rejections within this time belong to one decrease, because several requests were in flight. Accepted units are divided by at least this time, because the
 * first requests use the table's burst.
 */
const INTERVAL_MS = 500;
/** How far back the accepted units are counted. */
const WINDOW_MS = 2_000;
/** Units that may be sent without waiting, in seconds of the rate. */
const BURST_SECONDS = 0.2;

/** How long a loader's calls are retried while DynamoDB throttles them, and at which rate the loader writes. Other calls are limited by a number of attempts. */
export interface ThrottlePolicy {
  /** How long the table may reject everything before a call fails. */
  readonly maxStallMs: number;
  /** Absent: writes are not paced. */
  readonly rate?: WriteRate;
}

/** @returns the policy of a loader: writes are paced, and fail only when the table has rejected everything for this many milliseconds, by default five minutes */
export function pacedWrites(maxStallMs = 5 * 60_000): ThrottlePolicy {
  return { maxStallMs, rate: new WriteRate() };
}

/**
 * How fast a writer sends, in write units per second: unlimited until a write is first throttled, or fails because the table is unreachable or timed out.
 * From then on, the rate follows additive increase and multiplicative decrease (Chiu and Jain 1989), so that it swings around what the table accepts.
 */
export class WriteRate {
  readonly #now: () => number;
  #unitsPerSecond = Number.POSITIVE_INFINITY;
  /** Units per second that are added to the rate every second. */
  #step = 0;
  /** Units that may be sent now; below 0, writers wait until they are refilled. */
  #tokens = 0;
  #updatedAt: number;
  #decreasedAt = Number.NEGATIVE_INFINITY;
  /** When the table began to reject everything. */
  #stalledAt: number | undefined;
  readonly #accepted: { readonly at: number; readonly units: number }[] = [];

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#updatedAt = now();
  }

  /** Infinity until the first `reject`. */
  get unitsPerSecond(): number {
    return this.#unitsPerSecond;
  }

  /** For how many milliseconds the table has rejected everything. */
  get stalledMs(): number {
    return this.#stalledAt === undefined ? 0 : this.#now() - this.#stalledAt;
  }

  /**
   * Waits until `units` may be sent. The wait has jitter of up to 10 %, so that waiting requests are not all sent at the same time.
   * @throws the signal's reason when it aborts during the wait
   */
  async acquire(units: number, signal?: AbortSignal): Promise<void> {
    const waitMs = this.reserve(units);
    if (waitMs <= 0) return;
    const options = signal === undefined ? {} : { signal };
    await sleep(waitMs * (1 + Math.random() / 10), undefined, options).catch((error: unknown) => {
      signal?.throwIfAborted(); // the error of `sleep` has the reason as its cause only
      throw error;
    });
  }

  /** Takes the units from those that may be sent. @returns milliseconds until they may be sent */
  reserve(units: number): number {
    this.#refill();
    if (this.#unitsPerSecond === Number.POSITIVE_INFINITY) return 0;
    this.#tokens -= units;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#unitsPerSecond) * 1_000;
  }

  accept(units: number): void {
    if (units <= 0) return;
    const at = this.#now();
    this.#stalledAt = undefined;
    this.#accepted.push({ at, units });
    this.#forget(at);
  }

  /** Records that a write was throttled, or failed because the table was unreachable or timed out. */
  reject(): void {
    const at = this.#now();
    this.#stalledAt ??= at;
    if (at - this.#decreasedAt < INTERVAL_MS) return;
    this.#refill();
    this.#forget(at);
    const units = this.#accepted.reduce((sum, accepted) => sum + accepted.units, 0);
    const since = this.#accepted[0]?.at ?? at; // at most WINDOW_MS ago
    const accepted = units / (Math.max(INTERVAL_MS, at - since) / 1_000);
    this.#unitsPerSecond = Math.max(MIN_UNITS_PER_SECOND, DECREASE * Math.min(this.#unitsPerSecond, accepted));
    this.#step = this.#unitsPerSecond * INCREASE_PER_SECOND;
    this.#tokens = Math.min(this.#tokens, 0);
    this.#decreasedAt = at;
  }

  #refill(): void {
    const at = this.#now();
    const seconds = (at - this.#updatedAt) / 1_000;
    this.#updatedAt = at;
    if (this.#unitsPerSecond === Number.POSITIVE_INFINITY) return;
    this.#unitsPerSecond += this.#step * seconds;
    const burst = this.#unitsPerSecond * BURST_SECONDS;
    this.#tokens = Math.min(burst, this.#tokens + this.#unitsPerSecond * seconds);
  }

  #forget(now: number): void {
    while (this.#accepted[0] !== undefined && this.#accepted[0].at < now - WINDOW_MS) this.#accepted.shift();
  }
}
