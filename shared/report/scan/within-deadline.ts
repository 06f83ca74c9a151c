import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { Deadline } from '../../lib/deadline.ts';

/** Heads of dimension tables contain small ones, of which 4 KB take a read unit, and else 8 KB of a chunk. */
const INLINE_UNIT_BYTES = 4_096;

/**
 * @returns the source, which checks the deadline before each call, and before each segment that it yields: after that the one before was scanned; and the read units
 * that planning has taken, as if the instance kept nothing
 */
export function withinDeadline(source: SegmentSource, deadline: Deadline) {
  let planningUnits = 0;
  async function checked<T>(read: () => Promise<T>): Promise<T> {
    deadline.check();
    return read();
  }
  async function* each<T>(segments: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const segment of segments) {
      deadline.check();
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
    runs: (reads) => each(source.runs(reads)),
    rollups: (reads) => each(source.rollups(reads)),
  };
  return { source: checkedSource, planningUnits: () => planningUnits };
}
