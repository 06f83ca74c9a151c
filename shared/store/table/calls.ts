import { Limiter } from '../../lib/concurrency.ts';
import { translateError } from './store-errors.ts';

/** Usage of a table in DynamoDB's capacity units. Each page of a Query and each part of a batch is one call. */
export interface Meter {
  readUnits: number;
  writeUnits: number;
  calls: number;
}

/** Options that the SDK's `send` takes beside the command. */
export interface SendOptions {
  readonly abortSignal?: AbortSignal;
}

interface Capacity {
  readonly CapacityUnits?: number | undefined;
}

interface Response {
  readonly ConsumedCapacity?: Capacity | readonly Capacity[] | undefined;
}

type Send<R> = (options: SendOptions) => Promise<R>;

/** Makes calls to DynamoDB: limits their concurrency, counts them, aborts them with the signal and translates their errors. */
export class Calls {
  readonly #limiter: Limiter;
  readonly #meters: readonly Meter[];
  readonly #signal: AbortSignal | undefined;

  constructor(limiter: Limiter, meters: readonly Meter[] = [], signal?: AbortSignal) {
    this.#limiter = limiter;
    this.#meters = meters;
    this.#signal = signal;
  }

  /** @returns calls that are also counted in `meter` */
  metered(meter: Meter): Calls {
    return new Calls(this.#limiter, [...this.#meters, meter], this.#signal);
  }

  /** @returns calls that throw the signal's reason when it aborts */
  withSignal(signal: AbortSignal): Calls {
    const combined = this.#signal === undefined ? signal : AbortSignal.any([this.#signal, signal]);
    return new Calls(this.#limiter, this.#meters, combined);
  }

  /** @returns calls without a limit of concurrency */
  unlimited(): Calls {
    return new Calls(new Limiter(Number.POSITIVE_INFINITY), this.#meters, this.#signal);
  }

  /** Makes a call that consumes read units. */
  async read<R extends Response>(send: Send<R>): Promise<R> {
    const response = await this.#call(send);
    for (const meter of this.#meters) meter.readUnits += unitsOf(response);
    return response;
  }

  /** Makes a call that consumes write units. */
  async write<R extends Response>(send: Send<R>): Promise<R> {
    const response = await this.#call(send);
    for (const meter of this.#meters) meter.writeUnits += unitsOf(response);
    return response;
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

function unitsOf({ ConsumedCapacity = [] }: Response): number {
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}
