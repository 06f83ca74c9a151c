import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { ReadPlan } from '../plan/plan-reads.ts';
import type { TableScan } from '../plan/plan-report.ts';
import { type RollupSegment, readRollups } from './read-rollups.ts';
import { readRunSegments } from './read-segments.ts';
import type { Segment } from './segment.ts';
import type { StreamGroup } from './stream-group.ts';

/** The segments of a plan, which are read while they are scanned. Each can be scanned once. */
export interface OpenReads {
  readonly reads: ReadPlan;
  readonly days: readonly { readonly scan: TableScan; readonly segments: AsyncIterable<Segment> }[];
  readonly rollups: AsyncIterable<RollupSegment>;
}

/**
 * @param streams where what the plan reads is added, in the order in which `scanFacts` scans it. The first segment that is requested starts all
 * reads in `streams`.
 * @returns the segments of the plan
 */
export function openReads(source: SegmentSource, reads: ReadPlan, streams: StreamGroup): OpenReads {
  const days = reads.days.map(({ scan, partitions }) => ({
    scan,
    segments: streams.add(() => readRunSegments(source, partitions)),
  }));
  return { reads, days, rollups: streams.add(() => readRollups(source, reads.rollups)) };
}
