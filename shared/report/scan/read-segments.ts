import type { DayColumns, PartitionRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { dateOf, type PartitionRead } from '../plan/plan-reads.ts';
import { ReadAhead } from './read-ahead.ts';
import { constantKeys, Segment } from './segment.ts';

/** @returns the days of the partitions, read ahead, in a fixed order, so that equal reports number their groups equally */
export function readPartitions(
  source: SegmentSource,
  reads: readonly PartitionRead[],
  ahead = new ReadAhead(),
): AsyncIterable<Segment> {
  const parts = reads.map(({ ref, days, columns }) => ({
    ref,
    take: ahead.add(() => Array.fromAsync(source.days(ref, days, columns))),
  }));
  return openDays(parts);
}

async function* openDays(
  parts: { readonly ref: PartitionRef; readonly take: () => Promise<DayColumns[]> }[],
): AsyncGenerator<Segment> {
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const days = await part.take();
    for (const day of days.sort((a, b) => a.entry.day - b.entry.day)) yield openDay(part.ref, day);
  }
}

function openDay(ref: PartitionRef, { entry, columns }: DayColumns): Segment {
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
