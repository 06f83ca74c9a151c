/**
 * Opens all its streams when the first one is read, so that none waits for another.
 * Add all streams before, in the order in which they will be read; another order is only slower.
 */
export class StreamGroup {
  readonly #streams: (() => unknown)[] = [];

  /** @returns the stream that `open` returns; iterate over it once */
  add<T>(open: () => AsyncIterable<T>): AsyncIterable<T> {
    let started: Started<T> | undefined;
    const start = () => (started ??= startReading(open()));
    this.#streams.push(start);
    return this.#read(start);
  }

  async *#read<T>(start: () => Started<T>): AsyncGenerator<T> {
    for (const startStream of this.#streams.splice(0)) startStream();
    const { iterator, first } = start();
    for (let next = await first; next.done !== true; next = await iterator.next()) yield next.value;
  }
}

/** A stream whose first member is being read. */
interface Started<T> {
  readonly iterator: AsyncIterator<T>;
  readonly first: Promise<IteratorResult<T>>;
}

function startReading<T>(stream: AsyncIterable<T>): Started<T> {
  const iterator = stream[Symbol.asyncIterator]();
  const first = iterator.next();
  first.catch(() => {}); // whoever reads the stream awaits it; until then a failure must not count as unhandled
  return { iterator, first };
}
