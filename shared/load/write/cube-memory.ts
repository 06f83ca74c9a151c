import { type Cube, cubesOf } from '../../catalog/cubes.ts';
import type { CubeEntry, MonthEntry } from '../../catalog/partitions.ts';
import { type CubeRows, MAX_SMALL_DAY_ROWS, MIN_DAY_SHRINKAGE } from '../../columns/rollup.ts';
import type { DayPartition } from '../check/spill.ts';
import { isUsers } from './choose-cubes.ts';

/**
 * Bytes of memory at the peak, with all copies: for a pair of a user and a row of ROLLUP (measured: 45 to 51 of loaded days, 76 of stored ones), and for a
 * row of a cube (327 to 455).
 */
const BYTES_PER_PAIR = 80;
const BYTES_PER_ROW = 500;
/** Bytes for a UTF-16 code unit of a cube's distinct texts (measured: 7 to 13 while a day is encoded). */
const BYTES_PER_TEXT_UNIT = 13;
/** A stored pair takes at most this many bytes: 6 of the hash, 4 of the number of rows and 4 of the row. */
const MAX_STORED_BYTES_PER_PAIR = 14;
/** A stored pair usually takes at least 0.2 bytes: as little as that if the user is in all days of the month. */
const PAIRS_PER_STORED_BYTE = 5;

/** What takes memory in a month: the rows of each cube, and the users of ROLLUP. */
export type CubePart = Cube | 'users';

/** @returns the memory that the rows with their texts take, and the users */
export function bytesOfRows(cube: Cube, { rows, keys, users }: Omit<CubeRows, 'measures'>): Map<CubePart, number> {
  let textUnits = 0;
  for (const { dictionary } of keys.values()) {
    for (const value of dictionary) if (typeof value === 'string') textUnits += value.length;
  }
  const ofRows = new Map<CubePart, number>([[cube, rows * BYTES_PER_ROW + textUnits * BYTES_PER_TEXT_UNIT]]);
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
 * @returns an estimate of the memory that the month takes; it usually takes far less
 */
export function estimateBytes(days: readonly DayPartition[], stored: MonthEntry | undefined): number {
  let bytes = 0;
  for (const { table, sequence } of days) {
    const cubes = cubesOf(table).length;
    if (cubes === 0) continue; // market
    // the cube ROLLUP, which has the fewest rows, may have all of a day's; with more than a third of them, the others are not kept, except on small days
    const share = sequence.rows > MAX_SMALL_DAY_ROWS ? Math.max(1, cubes / MIN_DAY_SHRINKAGE) : cubes;
    bytes += sequence.rows * share * BYTES_PER_ROW + sequence.textUnits * BYTES_PER_TEXT_UNIT;
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
