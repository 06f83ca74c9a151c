import { measuresOf as measuresIn } from '../../catalog/tables.ts';
import { decodeKeys } from '../../columns/coded-keys.ts';
import { decodeColumn } from '../../columns/kept-columns.ts';
import { unpackRollup } from '../../columns/pack.ts';
import type { SegmentSource } from '../../layout/segment-reads.ts';
import type { TableScan } from '../plan/plan-report.ts';
import type { ScannedRollup } from '../plan/shards.ts';
import { Segment } from './segment.ts';

/** The rows of one month that a rollup has of the scan's table. */
export interface RollupSegment {
  readonly scan: TableScan;
  readonly segment: Segment;
  /** Of the rollup of a shard: the advertisers whose rows are counted. */
  readonly advertiserIds: ReadonlySet<number> | undefined;
}

/** Yields the rollups as segments, one for each scan that has rows in the month. */
export async function* readRollups(
  source: SegmentSource,
  reads: readonly ScannedRollup[],
): AsyncGenerator<RollupSegment> {
  if (reads.length === 0) return;
  for await (const { read, encoded } of source.rollups(reads)) {
    const columns = unpackRollup(encoded, nameOf(read));
    for (const scan of read.scans) {
      if (!columns.has(`${scan.table}/date`)) continue;
      yield { scan, segment: openSegment(read, scan, columns), advertiserIds: read.advertiserIds };
    }
  }
}

/** @returns the rollup's facts of one table in one month, with the rows of all its days */
function openSegment(read: ScannedRollup, { table }: TableScan, columns: ReadonlyMap<string, Uint8Array>) {
  const { experience, month } = read.ref;
  const key = `${nameOf(read)}/${table}`;
  const days = decodeColumn(columns.get(`${table}/date`) ?? new Uint8Array(), `${key}/date`, decodeKeys);
  const dictionary = days.dictionary.map((day) => `${month}-${String(day).padStart(2, '0')}`);
  const dates = { ...days, dictionary };
  const bytesOf = (column: string) => columns.get(`${table}/${column}`);
  const isAbsent = (name: string) => bytesOf(name) === undefined && !read.entry.columns.has(`${table}/${name}`);
  const lacks = (name: string) => measuresIn(table).some((measure) => measure === name) && isAbsent(name);
  const advertiserId = 'shard' in read.ref ? undefined : read.ref.advertiserId;
  return new Segment({ key, advertiserId, experience, rows: days.rows, dates, bytesOf, lacks });
}

function nameOf({ ref }: ScannedRollup): string {
  const owner = 'shard' in ref ? `shard ${ref.shard}` : ref.advertiserId;
  return `${owner}/${ref.experience}/${ref.month}`;
}
