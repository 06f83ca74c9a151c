/** Files, months, days and other parts of a load that are in progress at the same time. */
export const CONCURRENCY = 4;

/** @returns the results, like `Promise.all`, but rejects with an error only once all of the work has ended */
export async function allEnded<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/**
 * Runs `work` on every member, at most `limit` at a time, and starts them in order. After the first error, of the work or of `members`, nothing more is
 * started, and the error is thrown once the work in progress has ended.
 */
export async function forEachConcurrently<T>(
  members: Iterable<T>,
  limit: number,
  work: (member: T) => Promise<void>,
): Promise<void> {
  const queue = members[Symbol.iterator]();
  const failures: unknown[] = [];
  const runWorker = async () => {
    while (failures.length === 0) {
      try {
        const next = queue.next();
        if (next.done === true) return;
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, runWorker));
  if (failures.length > 0) throw failures[0];
}

/**
 * Limits concurrent work: the costs of the tasks in progress never exceed `capacity` together. Tasks start in the order of the calls; a task that
 * costs more than `capacity` runs alone.
 */
export class Limiter {
  readonly #capacity: number;
  readonly #waiting: { readonly cost: number; readonly start: () => void }[] = [];
  #free: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** @param cost in the unit of `capacity` */
  async run<T>(task: () => Promise<T>, cost = 1): Promise<T> {
    const reserved = Math.min(cost, this.#capacity);
    await new Promise<void>((start) => {
      this.#waiting.push({ cost: reserved, start });
      this.#startWaiting();
    });
    try {
      return await task();
    } finally {
      this.#free += reserved;
      this.#startWaiting();
    }
  }

  #startWaiting(): void {
    for (let [next] = this.#waiting; next !== undefined && next.cost <= this.#free; [next] = this.#waiting) {
      this.#waiting.shift();
      this.#free -= next.cost;
      next.start();
    }
  }
}

/**
 * Runs `work` on members as they arrive, on up to `maxAhead` of them before the first result is consumed. Ends, also with an error, only when the work in
 * progress has ended.
 * @returns the results in the order of the members; an error of the source follows the results of the members before it
 */
export async function* mapInOrder<T, R>(
  members: AsyncIterable<T>,
  maxAhead: number,
  work: (member: T) => Promise<R>,
): AsyncGenerator<R> {
  const iterator = members[Symbol.asyncIterator]();
  const inProgress: Promise<R>[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        failure = { error };
        return DONE;
      });
      if (next.done === true) break;
      const result = work(next.value);
      result.catch(() => undefined); // the error is thrown below, when the result is awaited
      inProgress.push(result);
      const [first] = inProgress;
      if (inProgress.length < maxAhead || first === undefined) continue;
      inProgress.shift();
      yield await first;
    }
    for (const result of inProgress) yield await result;
    if (failure !== undefined) throw failure.error;
  } finally {
    await iterator.return?.();
    await Promise.allSettled(inProgress);
  }
}

const DONE = { done: true, value: undefined } as const;
