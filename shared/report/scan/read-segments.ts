import type { KeyData } from '../../columns/column.ts';
import type { PartitionRead, RunColumns } from '../../layout/partitions.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import { dateOf } from '../plan/plan-reads.ts';
import { Segment } from './segment.ts';

/** Yields each run of the partitions as a segment, in the order of the source. @throws what the source throws */
export async function* readRunSegments(
  source: SegmentSource,
  reads: readonly PartitionRead[],
): AsyncGenerator<Segment> {
  if (reads.length === 0) return; // without a call of the source
  for await (const run of source.runs(reads)) yield openRun(run);
}

function openRun({ ref, run, columns }: RunColumns): Segment {
  const { advertiserId, experience, table } = ref;
  const dates = DATES.get(run) ?? datesOf(ref, run);
  DATES.set(run, dates);
  return new Segment({
    key: `${advertiserId}/${experience}/${table}/${dateOf(ref, run)}`,
    advertiserId,
    experience,
    rows: run.rows,
    dates,
    bytesOf: (column) => columns.get(column),
    lacks: (column) => !run.columns.has(column),
  });
}

/** The dates of runs whose manifest is cached. */
const DATES = new WeakMap<RunColumns['run'], KeyData>();

function datesOf(ref: RunColumns['ref'], { days, rows }: RunColumns['run']): KeyData {
  const dictionary = days.map((day) => dateOf(ref, day));
  const codes = Uint8Array.from(dictionary.keys());
  let end = 0;
  const ends = Uint32Array.from(days, (day) => (end += day.rows));
  return { kind: dictionary.length === 1 ? 'constant' : 'runs', rows, dictionary, codes, ends };
}
