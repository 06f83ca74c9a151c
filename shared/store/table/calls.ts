import { setTimeout as sleep } from 'node:timers/promises';
import { Limiter } from '../../lib/concurrency.ts';
import { isStoreBusy, storeBusy, translateError } from './store-errors.ts';
import type { ThrottlePolicy } from './write-rate.ts';

/** Usage of a table in DynamoDB's capacity units. Each page of a Query and each part of a batch is one call. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  calls: number;
}

/** Options that the SDK's `send` takes besides the command. */
export interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

export interface MeteredResponse {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[] | undefined;
}

type Send<R> = (options: SendOptions) => Promise<R>;

const MIN_DELAY_MS = 25;
const MAX_DELAY_MS = 2_000;
/** How long a loader's unlimited calls are retried. It is short, because other calls depend on them; their caller handles the failure. */
const UNLIMITED_STALL_MS = 2_000;

/** Makes calls to DynamoDB: limits their concurrency, counts them, aborts them with the signal and translates their errors. */
export class Calls {
  readonly #limiter: Limiter;
  readonly #policy: ThrottlePolicy | undefined;
  readonly #meters: readonly Meter[];
  readonly #signal: AbortSignal | undefined;

  constructor(limiter: Limiter, policy?: ThrottlePolicy, meters: readonly Meter[] = [], signal?: AbortSignal) {
    this.#limiter = limiter;
    this.#policy = policy;
    this.#meters = meters;
    this.#signal = signal;
  }

  /** @returns calls that are also counted in `meter` */
  metered(meter: Meter): Calls {
    return new Calls(this.#limiter, this.#policy, [...this.#meters, meter], this.#signal);
  }

  /** @returns calls that throw the signal's reason when it aborts */
  withSignal(signal: AbortSignal): Calls {
    const combined = this.#signal === undefined ? signal : AbortSignal.any([this.#signal, signal]);
    return new Calls(this.#limiter, this.#policy, this.#meters, combined);
  }

  /** @returns calls without a limit of concurrency or rate */
  unlimited(): Calls {
    const policy = this.#policy && { maxStallMs: UNLIMITED_STALL_MS };
    return new Calls(new Limiter(Number.POSITIVE_INFINITY), policy, this.#meters, this.#signal);
  }

  async read<R extends MeteredResponse>(send: Send<R>): Promise<R> {
    const response = await this.#retry(send);
    for (const meter of this.#meters) meter.readUnits += unitsOf(response);
    return response;
  }

  /**
   * Makes a call that consumes write units, when the rate allows it.
   * @param units estimate of what it consumes
   */
  async write<R extends MeteredResponse>(send: Send<R>, units = 1): Promise<R> {
    const response = await (this.#policy?.rate === undefined ? this.#retry(send) : this.#pace(send, units));
    for (const meter of this.#meters) meter.writeUnits += unitsOf(response);
    this.#policy?.rate?.accept(unitsOf(response));
    return response;
  }

  /**
   * Records that a write, or part of it, was throttled, or failed because the table was unreachable or timed out.
   * @returns whether there is a rate that the next write waits for; otherwise the caller delays it
   * @throws STORE_BUSY when the table has rejected everything for too long
   */
  reject(): boolean {
    const { rate, maxStallMs = 0 } = this.#policy ?? {};
    if (rate === undefined) return false;
    rate.reject();
    if (rate.stalledMs > maxStallMs) throw storeBusy();
    return true;
  }

  /** Makes a write when the rate allows it, again when the table rejects it. */
  async #pace<R>(send: Send<R>, units: number): Promise<R> {
    for (;;) {
      await this.#policy?.rate?.acquire(units, this.#signal);
      try {
        return await this.#call(send);
      } catch (error) {
        if (!isStoreBusy(error)) throw error;
        this.reject();
      }
    }
  }

  /** Makes a call; a loader's is retried with increasing delays until the time of its policy is over. */
  async #retry<R>(send: Send<R>): Promise<R> {
    const startedAt = performance.now();
    for (let retries = 0; ; retries += 1) {
      try {
        return await this.#call(send);
      } catch (error) {
        const { maxStallMs = 0 } = this.#policy ?? {};
        if (!isStoreBusy(error) || performance.now() - startedAt >= maxStallMs) throw error;
        await delayRetry(retries);
      }
    }
  }

  #call<R>(send: Send<R>): Promise<R> {
    return this.#limiter.run(async () => {
      this.#signal?.throwIfAborted();
      for (const meter of this.#meters) meter.calls += 1;
      try {
        return await send(this.#signal === undefined ? {} : { abortSignal: this.#signal });
      } catch (error) {
        this.#signal?.throwIfAborted();
        throw translateError(error);
      }
    });
  }
}

/** Waits exponentially longer with each retry in a row, with jitter so that concurrent callers do not retry in step. */
export async function delayRetry(retries: number): Promise<void> {
  const maxDelay = Math.min(MAX_DELAY_MS, MIN_DELAY_MS * 2 ** retries);
  await sleep(maxDelay * (0.5 + Math.random() / 2));
}

function unitsOf({ ConsumedCapacity = [] }: MeteredResponse): number {
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
