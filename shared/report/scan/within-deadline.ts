import type { SegmentSource } from '../../catalog/segment-reads.ts';
import type { Deadline } from '../../lib/deadline.ts';

/** @returns the source, which checks the deadline before each call, and before each segment that it yields: after that the one before was scanned */
export function withinDeadline(source: SegmentSource, deadline: Deadline): SegmentSource {
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
  return {
    factHeads: (ids) => checked(() => source.factHeads(ids)),
    advertiserShards: () => checked(() => source.advertiserShards()),
    manifests: (refs) => checked(() => source.manifests(refs)),
    dimensionTables: (...table) => checked(() => source.dimensionTables(...table)),
    runs: (reads) => each(source.runs(reads)),
    rollups: (reads) => each(source.rollups(reads)),
  };
}
