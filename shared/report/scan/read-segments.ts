import type { DayColumns, PartitionRead } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-reads.ts';
import { dateOf } from '../plan/plan-reads.ts';
import { constantKeys, Segment } from './segment.ts';

/** Yields each day of the partitions as a segment, in the order of the source. @throws what the source throws */
export async function* readDaySegments(
  source: SegmentSource,
  reads: readonly PartitionRead[],
): AsyncGenerator<Segment> {
  if (reads.length === 0) return; // without a call of the source
  for await (const day of source.days(reads)) yield openDay(day);
}

function openDay({ ref, entry, columns }: DayColumns): Segment {
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
