import type { EncodedRollup, RollupRef } from '../../catalog/partitions.ts';
import type { SegmentSource } from '../../catalog/segment-source.ts';
import { decodeKeys } from '../../columns/keys.ts';
import { unpackColumns } from '../../columns/pack.ts';
import type { Cube } from '../../columns/rollup.ts';
import type { RollupRead } from '../plan/plan-reads.ts';
import { Segment } from './segment.ts';

/**
 * Yields the requested cubes of the rollups. A cube without rows in a month is skipped.
 * @param users the user columns to read: `<cube>/<column of the band>`
 */
export async function* readCubes(
  source: SegmentSource,
  reads: readonly RollupRead[],
  cubes: readonly Cube[],
  users: readonly string[],
): AsyncGenerator<{ readonly cube: Cube; readonly segment: Segment }> {
  if (reads.length === 0) return;
  for await (const rollup of source.rollups(reads, users)) {
    const columns = columnsOf(rollup);
    for (const cube of cubes) {
      if (columns.has(`${cube}/date`)) yield { cube, segment: openCube(rollup.ref, cube, columns) };
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
