import { ApiError } from '../../lib/errors.ts';
import { joinPieces } from '../../lib/join-pieces.ts';
import type { Table } from './client.ts';
import type { Item } from './item.ts';
import type { RangeQuery } from './requests.ts';

/** Bytes of one item; DynamoDB takes 400 KB with keys and names. */
export const CHUNK_BYTES = 350 * 1024;

/** @returns how many items `bytes` take. */
export const chunksOf = (bytes: number): number => Math.ceil(bytes / CHUNK_BYTES);

/** @returns the bytes cut into pieces of at most CHUNK_BYTES; views, not copies. */
export function splitChunks(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    pieces.push(bytes.subarray(start, start + CHUNK_BYTES));
  return pieces;
}

/** @returns the pieces joined; one alone is returned as it is. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : joinPieces(pieces);
}

/**
 * Reads a range eventually and hands it to `complete`; when that finds something missing (undefined), a second time consistently.
 * @throws ApiError STORE_INCONSISTENT when the second reading is short as well: never less than all
 */
export async function readWhole<T>(
  table: Table,
  range: Omit<RangeQuery, 'consistent'>,
  complete: (items: readonly Item[]) => T | undefined,
): Promise<T> {
  for (const consistent of [false, true]) {
    const whole = complete(await table.query({ ...range, consistent }));
    if (whole !== undefined) return whole;
  }
  throw inconsistent(`${range.pk} / ${range.from}…${range.to}`);
}

/** @param where names what is missing, for the log only */
export function inconsistent(where: string): ApiError {
  return new ApiError('STORE_INCONSISTENT', 'Part of the data is not readable at the moment. Try again in a second.', {
    headers: { 'Retry-After': '1' },
    cause: new Error(`items are missing: ${where}`),
  });
}
