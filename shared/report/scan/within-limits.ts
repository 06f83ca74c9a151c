import { getHeapStatistics } from 'node:v8';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { Deadline } from '../../lib/deadline.ts';
import { tooLarge } from '../query/too-expensive.ts';

/** Heads of dimension tables contain small ones, of which 4 KB take a read unit, and else 8 KB of a chunk. */
const INLINE_UNIT_BYTES = 4_096;

/** Memory of the thread. Of the function's 1,769 MB, the rest is for what is read ahead, for what one segment adds, and outside of heap and buffers. */
export const MAX_BYTES = 1_000_000_000;

/**
 * Does not depend on what the instance did before: memory that only garbage or caches take is freed, caches only where garbage is not enough.
 * @throws ApiError REPORT_TOO_EXPENSIVE
 */
function checkMemory(source: SegmentSource): void {
  for (const free of [() => undefined, () => source.emptyCaches?.()]) {
    if (usedBytes() <= MAX_BYTES) return;
    free();
    for (let i = 0; i < 2; i++) globalThis.gc?.(); // the second one waits until the first one has freed arrays
  }
  if (usedBytes() <= MAX_BYTES) return;
  throw tooLarge(`It takes more than ${(MAX_BYTES / 1e6).toLocaleString('en-US')} MB of memory, which is the limit.`);
}

/** @returns the bytes of this thread's heap and its buffers, with garbage, in 0.5 µs */
function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/**
 * @returns the source, which checks the deadline and the memory before each call, and before each segment that it yields: after that the one before was scanned; and the
 * read units that planning has taken, as if the instance kept nothing
 */
export function withinLimits(source: SegmentSource, deadline: Deadline) {
  let planningUnits = 0;
  async function checked<T>(read: () => Promise<T>): Promise<T> {
    deadline.check();
    checkMemory(source);
    return read();
  }
  async function* each<T>(segments: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const segment of segments) {
      deadline.check();
      checkMemory(source);
      yield segment;
    }
  }
  const checkedSource: SegmentSource = {
    factHeads: (ids) => {
      planningUnits += ids.length;
      return checked(() => source.factHeads(ids));
    },
    advertiserShards: () => {
      planningUnits += 1;
      return checked(() => source.advertiserShards());
    },
    manifests: (refs) => {
      planningUnits += new Set(refs).size;
      return checked(() => source.manifests(refs));
    },
    dimensionTables: async (...table) => {
      const tables = await checked(() => source.dimensionTables(...table));
      const sizes = Array.from(tables.values(), ({ columns }) =>
        Array.from(columns.values(), (bytes) => bytes.length).reduce((sum, bytes) => sum + bytes, 0),
      );
      planningUnits +=
        table[1].length + sizes.reduce((units, bytes) => units + Math.ceil(bytes / INLINE_UNIT_BYTES), 0);
      return tables;
    },
    loadTime: (n) => {
      planningUnits += 0.5;
      return checked(async () => source.loadTime?.(n));
    },
    runs: (reads) => each(source.runs(reads)),
    rollups: (reads) => each(source.rollups(reads)),
  };
  return { source: checkedSource, planningUnits: () => planningUnits };
}
