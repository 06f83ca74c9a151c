/**
 * Runs `work` on every member, at most `limit` at a time, in order of their start. After the first error nothing further is started; it is thrown
 * when what was under way has ended.
 */
export async function forEachConcurrently<T>(
  members: Iterable<T>,
  limit: number,
  work: (member: T) => Promise<void>,
): Promise<void> {
  const queue = members[Symbol.iterator]();
  const failures: unknown[] = [];
  const runner = async () => {
    for (let next = queue.next(); failures.length === 0 && next.done !== true; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, runner));
  if (failures.length > 0) throw failures[0];
}

/**
 * Works on members as they come, up to `ahead` of them before the first is asked for.
 * @returns the results in the order of the members; an error of the source comes after the results of the members before it
 */
export async function* mapInOrder<T, R>(
  members: AsyncIterable<T>,
  ahead: number,
  work: (member: T) => Promise<R>,
): AsyncGenerator<R> {
  const iterator = members[Symbol.asyncIterator]();
  const underWay: Promise<R>[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        failure = { error };
        return DONE;
      });
      if (next.done === true) break;
      const result = work(next.value);
      result.catch(() => undefined); // thrown when its turn comes
      underWay.push(result);
      const [first] = underWay;
      if (underWay.length < ahead || first === undefined) continue;
      underWay.shift();
      yield await first;
    }
    for (const result of underWay) yield await result;
    if (failure !== undefined) throw failure.error;
  } finally {
    await iterator.return?.();
  }
}

const DONE = { done: true, value: undefined } as const;
