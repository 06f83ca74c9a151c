/** Maximum total bytes of the parts that are being read or consumed; a larger part is read alone. */
const MAX_AHEAD_BYTES = 16_000_000;

/** A part of what is to be read, with its approximate size. */
interface Part<T> {
  readonly bytes: number;
  readonly read: () => Promise<readonly T[]>;
}

/** Yields the members of the parts in order. Reads parts concurrently, as many as MAX_AHEAD_BYTES allows. */
export async function* readAhead<T>(parts: readonly Part<T>[]): AsyncGenerator<T> {
  const inProgress: { bytes: number; members: Promise<readonly T[]> }[] = [];
  let bytes = 0;
  let next = 0;
  for (;;) {
    for (let part = parts[next]; part !== undefined; part = parts[next]) {
      if (inProgress.length > 0 && bytes + part.bytes > MAX_AHEAD_BYTES) break;
      const members = part.read();
      members.catch(() => undefined); // the error is thrown below, when the part is awaited
      inProgress.push({ bytes: part.bytes, members });
      bytes += part.bytes;
      next += 1;
    }
    const first = inProgress.shift();
    if (first === undefined) return;
    yield* await first.members;
    bytes -= first.bytes;
  }
}
