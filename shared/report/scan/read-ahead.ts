/** How many parts are read ahead while one is scanned: enough to hide the latency, few enough to bound the memory. */
const MAX_AHEAD = 8;

/**
 * Reads parts of a report's facts ahead of their use, from the moment when the first one is taken. Add all parts before, in the order in which they will
 * be taken; another order is only slower.
 */
export class ReadAhead {
  readonly #waiting: (() => unknown)[] = [];
  /** Parts whose reading has begun and that are not taken yet. */
  #ahead = 0;

  /** @returns a function that takes the part; call it once */
  add<T>(read: () => Promise<T>): () => Promise<T> {
    let reading: Promise<T> | undefined;
    const start = () => {
      if (reading !== undefined) return reading;
      this.#ahead += 1;
      reading = read();
      reading.catch(() => {}); // whoever takes the part awaits it; until then a failure must not count as unhandled
      return reading;
    };
    this.#waiting.push(start);
    return async () => {
      const started = start();
      this.#startMore();
      const part = await started;
      this.#ahead -= 1;
      this.#startMore();
      return part;
    };
  }

  #startMore(): void {
    while (this.#ahead < MAX_AHEAD) {
      const start = this.#waiting.shift();
      if (start === undefined) return;
      start();
    }
  }
}
