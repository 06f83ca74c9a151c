import type { EncodedDay, PartitionRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { dateOf, type PartitionRead } from '../plan/plan-reads.ts';
import { constantKeys, Segment } from './segment.ts';

/** How many partitions are read ahead while one is scanned: enough to hide the latency, few enough to bound the memory. */
const READ_AHEAD = 8;

/** Reads the partitions ahead and yields their days in a fixed order, so that equal reports number their groups equally. */
export async function* readPartitions(source: SegmentSource, reads: readonly PartitionRead[]): AsyncGenerator<Segment> {
  const pending: Promise<EncodedDay[]>[] = [];
  let next = 0;
  const startMore = () => {
    while (next < reads.length && pending.length < READ_AHEAD) {
      const read = reads[next++];
      if (read === undefined) break;
      const days = Array.fromAsync(source.days(read.ref, read.days, read.columns));
      days.catch(() => {}); // the loop below awaits it later; until then a failure must not count as unhandled
      pending.push(days);
    }
  };
  for (const { ref } of reads) {
    startMore();
    const days = (await pending.shift()) ?? [];
    startMore();
    for (const day of days.sort((a, b) => a.entry.day - b.entry.day)) yield openDay(ref, day);
  }
}

function openDay(ref: PartitionRef, { entry, columns }: EncodedDay): Segment {
  const date = dateOf(ref, entry);
  const { advertiserId, experience, table } = ref;
  const key = `${advertiserId}/${experience}/${table}/${date}`;
  const dates = constantKeys(entry.rows, date);
  return new Segment({
    key,
    advertiserId,
    experience,
    rows: entry.rows,
    dates,
    bytesOf: (column) => columns.get(column),
  });
}
