import type { EncodedCube } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { decodeKeys } from '../../columns/keys.ts';
import { unpackColumns } from '../../columns/pack.ts';
import type { ScannedCube } from '../plan/plan-reads.ts';
import type { TableScan } from '../plan/plan-report.ts';
import { ReadAhead } from './read-ahead.ts';
import { Segment } from './segment.ts';

/** The rows of one month that a cube has of the scan's table. */
export interface CubeSegment {
  readonly scan: TableScan;
  readonly segment: Segment;
}

/** @returns the cubes as segments, one for each scan that has rows in the month, read ahead */
export function readCubes(
  source: SegmentSource,
  reads: readonly ScannedCube[],
  ahead = new ReadAhead(),
): AsyncIterable<CubeSegment> {
  const open = async (): Promise<OpenCubes> => {
    const cubes = source.cubes(reads)[Symbol.asyncIterator]();
    return { first: await cubes.next(), cubes };
  };
  return openCubes(reads.length === 0 ? undefined : ahead.add(open));
}

type FoundCube = { readonly read: ScannedCube; readonly encoded: EncodedCube };

/** Cubes of which the first has been read. */
interface OpenCubes {
  readonly first: IteratorResult<FoundCube>;
  readonly cubes: AsyncIterator<FoundCube>;
}

async function* openCubes(take: (() => Promise<OpenCubes>) | undefined): AsyncGenerator<CubeSegment> {
  if (take === undefined) return;
  const { first, cubes } = await take();
  for (let next = first; next.done !== true; next = await cubes.next()) {
    const { read, encoded } = next.value;
    const columns = columnsOf(read, encoded);
    for (const scan of read.scans) {
      if (columns.has(`${scan.table}/date`)) yield { scan, segment: openSegment(read, scan, columns) };
    }
  }
}

/** @returns the cube's facts of one table in one month, with the rows of all its days */
function openSegment({ ref, cube }: ScannedCube, { table }: TableScan, columns: ReadonlyMap<string, Uint8Array>) {
  const { advertiserId, experience, month } = ref;
  const key = `${advertiserId}/${experience}/${month}/${cube}/${table}`;
  const days = decodeKeys(columns.get(`${table}/date`) ?? new Uint8Array(), `${key}/date`);
  const dictionary = days.dictionary.map((day) => `${month}-${String(day).padStart(2, '0')}`);
  const dates = { ...days, dictionary };
  const bytesOf = (column: string) => columns.get(`${table}/${column}`);
  return new Segment({ key, advertiserId, experience, rows: days.rows, dates, bytesOf });
}

function columnsOf({ ref, cube }: ScannedCube, { packed, columns }: EncodedCube): Map<string, Uint8Array> {
  const all = unpackColumns(packed, `${ref.advertiserId}/${ref.experience}/${ref.month}/${cube}`);
  for (const [name, bytes] of columns) all.set(name, bytes);
  return all;
}
