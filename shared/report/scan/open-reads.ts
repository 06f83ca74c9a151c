import type { SegmentSource } from '../../catalog/segment-source.ts';
import type { ReadPlan } from '../plan/plan-reads.ts';
import type { TableScan } from '../plan/plan-report.ts';
import type { ReadAhead } from './read-ahead.ts';
import { type CubeSegment, readCubes } from './read-cubes.ts';
import { readPartitions } from './read-segments.ts';
import type { Segment } from './segment.ts';

/** The segments of a plan, which are read while they are scanned. Each can be scanned once. */
export interface OpenReads {
  readonly reads: ReadPlan;
  readonly days: readonly { readonly scan: TableScan; readonly segments: AsyncIterable<Segment> }[];
  readonly cubes: AsyncIterable<CubeSegment>;
}

/** Adds what the plan reads to `ahead`, in the order in which `scanFacts` scans it. */
export function openReads(source: SegmentSource, reads: ReadPlan, ahead: ReadAhead): OpenReads {
  const days = reads.days.map(({ scan, partitions }) => ({
    scan,
    segments: readPartitions(source, partitions, ahead),
  }));
  return { reads, days, cubes: readCubes(source, reads.cubes, ahead) };
}
