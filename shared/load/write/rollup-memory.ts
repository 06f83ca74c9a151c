import { type Cube, cubesOf } from '../../catalog/cubes.ts';
import type { CubeEntry, RollupEntry } from '../../catalog/partitions.ts';
import type { CubeRows } from '../../columns/rollup.ts';
import type { DayPartition } from '../check/spill.ts';
import { isUsers } from './choose-cubes.ts';

/** Bytes of memory at the peak, with all copies: for a pair of a user and a row of ROLLUP (measured: 45 to 51 of loaded days, 76 of stored ones), and for a row of a cube (327 to 455). */
const BYTES_PER_PAIR = 80;
const BYTES_PER_ROW = 500;
/** A stored pair takes at most this many bytes: 6 of the hash, 4 of the number of rows and 4 of the row. */
const MAX_STORED_BYTES_PER_PAIR = 14;
/** At least 0.2 bytes are usual: a user in all days of a month. */
const PAIRS_PER_STORED_BYTE = 5;
/** A day is in a cube only if that has a third of its rows or less. Smaller days are in all cubes, but have at most 250 rows. */
const MIN_DAY_SHRINKAGE = 3;

/** What takes memory in a month: the rows of each cube, and the users of ROLLUP. */
export type RollupPart = Cube | 'users';

/** @returns the memory that the rows and the users of the parts take */
export function bytesOfRows(cube: Cube, { rows, users }: Omit<CubeRows, 'keys' | 'measures'>): Map<RollupPart, number> {
  const ofRows = new Map<RollupPart, number>([[cube, rows * BYTES_PER_ROW]]);
  return users === undefined ? ofRows : ofRows.set('users', bytesOfPairs(users.hashes.length));
}

export function bytesOfPairs(pairs: number): number {
  return pairs * BYTES_PER_PAIR;
}

/** @returns the memory that the rows of a stored cube take */
export function bytesOfStoredRows({ rows }: CubeEntry): number {
  return [...rows.values()].reduce((sum, count) => sum + count, 0) * BYTES_PER_ROW;
}

/** @returns the least memory that the users of a stored cube take */
export function minBytesOfStoredUsers(entry: CubeEntry): number {
  return bytesOfPairs(storedBytesOfUsers(entry) / MAX_STORED_BYTES_PER_PAIR);
}

/**
 * @param days that a load has of the month
 * @param stored the cubes that the month has before the load
 * @returns the memory that the month takes, usually far less
 */
export function estimateBytes(days: readonly DayPartition[], stored: RollupEntry | undefined): number {
  let bytes = 0;
  for (const { table, sequence } of days) {
    const cubes = cubesOf(table).length;
    if (cubes === 0) continue; // market
    bytes += ((sequence.rows * cubes) / MIN_DAY_SHRINKAGE) * BYTES_PER_ROW;
    bytes += bytesOfPairs(sequence.users);
  }
  for (const entry of stored?.cubes.values() ?? []) {
    bytes += bytesOfStoredRows(entry) + bytesOfPairs(storedBytesOfUsers(entry) * PAIRS_PER_STORED_BYTE);
  }
  return bytes;
}

function storedBytesOfUsers({ columns }: CubeEntry): number {
  return [...columns].reduce((sum, [name, bytes]) => (isUsers(name) ? sum + bytes : sum), 0);
}
