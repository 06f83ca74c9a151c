import type { EncodedRollup, RollupRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { decodeKeys } from '../../columns/keys.ts';
import { unpackColumns } from '../../columns/pack.ts';
import type { Cube } from '../../columns/rollup.ts';
import type { RollupRead } from '../plan/plan-reads.ts';
import { ReadAhead } from './read-ahead.ts';
import { Segment } from './segment.ts';

/** A cube of a rollup, with the rows of one month. */
export interface CubeSegment {
  readonly cube: Cube;
  readonly segment: Segment;
}

/**
 * @param users the user columns to read: `<cube>/<column of the band>`
 * @returns the requested cubes of the rollups, read ahead. A cube without rows in a month is skipped.
 */
export function readCubes(
  source: SegmentSource,
  reads: readonly RollupRead[],
  cubes: readonly Cube[],
  users: readonly string[],
  ahead = new ReadAhead(),
): AsyncIterable<CubeSegment> {
  const open = async (): Promise<OpenRollups> => {
    const rollups = source.rollups(reads, users)[Symbol.asyncIterator]();
    return { first: await rollups.next(), rollups };
  };
  return openCubes(reads.length === 0 ? undefined : ahead.add(open), cubes);
}

/** Rollups of which the first has been read. */
interface OpenRollups {
  readonly first: IteratorResult<EncodedRollup>;
  readonly rollups: AsyncIterator<EncodedRollup>;
}

async function* openCubes(
  take: (() => Promise<OpenRollups>) | undefined,
  cubes: readonly Cube[],
): AsyncGenerator<CubeSegment> {
  if (take === undefined) return;
  const { first, rollups } = await take();
  for (let next = first; next.done !== true; next = await rollups.next()) {
    const columns = columnsOf(next.value);
    for (const cube of cubes) {
      if (columns.has(`${cube}/date`)) yield { cube, segment: openCube(next.value.ref, cube, columns) };
    }
  }
}

/** @returns one cube of one month, with the rows of all its days */
function openCube(ref: RollupRef, cube: Cube, columns: ReadonlyMap<string, Uint8Array>): Segment {
  const { advertiserId, experience, month } = ref;
  const key = `${advertiserId}/${experience}/${month}/${cube}`;
  const days = decodeKeys(columns.get(`${cube}/date`) ?? new Uint8Array(), `${key}/date`);
  const dictionary = days.dictionary.map((day) => `${month}-${String(day).padStart(2, '0')}`);
  const dates = { ...days, dictionary };
  const bytesOf = (column: string) => columns.get(`${cube}/${column}`);
  return new Segment({ key, advertiserId, experience, rows: days.rows, dates, bytesOf });
}

function columnsOf({ ref, packed, users }: EncodedRollup): Map<string, Uint8Array> {
  const columns = unpackColumns(packed, `${ref.advertiserId}/${ref.experience}/${ref.month}`);
  for (const [name, bytes] of users) columns.set(name, bytes);
  return columns;
}
