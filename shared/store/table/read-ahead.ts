/** What is read ahead of the part being handed over, in bytes. */
const AHEAD_BYTES = 16_000_000;

/** A part of what is to be read, and about how much it is. */
export interface Part<T> {
  readonly bytes: number;
  readonly read: () => Promise<readonly T[]>;
}

/** Hands over the members of the parts in order, reading so many parts at once as are not more than AHEAD_BYTES together. */
export async function* readAhead<T>(parts: readonly Part<T>[]): AsyncGenerator<T> {
  const ahead: { bytes: number; members: Promise<readonly T[]> }[] = [];
  let bytes = 0;
  let next = 0;
  for (;;) {
    for (let part = parts[next]; part !== undefined; part = parts[next]) {
      if (ahead.length > 0 && bytes + part.bytes > AHEAD_BYTES) break;
      const members = part.read();
      members.catch(() => undefined); // awaited in its turn below; until then a failure is not unhandled
      ahead.push({ bytes: part.bytes, members });
      bytes += part.bytes;
      next += 1;
    }
    const first = ahead.shift();
    if (first === undefined) return;
    yield* await first.members;
    bytes -= first.bytes;
  }
}
