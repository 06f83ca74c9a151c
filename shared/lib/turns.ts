import { setImmediate as nextTurn } from 'node:timers/promises';

/** A timer of 100 ms, such as that of the limit of concurrent reports, must not wait for a computation of seconds. */
const MAX_BUSY_MS = 50;

/** Lets timers run and responses arrive during a long computation: a turn of the event loop every 50 ms. */
export class Turns {
  #last = performance.now();

  /** Call it between steps of the computation. */
  async take(): Promise<void> {
    if (performance.now() - this.#last < MAX_BUSY_MS) return;
    await nextTurn();
    this.#last = performance.now();
  }
}
