import { joinPieces } from '../../lib/join-pieces.ts';
import type { Item } from './item.ts';
import type { Key } from './item-keys.ts';
import type { RangeQuery } from './requests.ts';
import { storeInconsistent } from './store-errors.ts';
import type { Table } from './table.ts';

/** Maximum bytes of content per item; DynamoDB's limit of 400 KB includes keys and attribute names. */
const CHUNK_BYTES = 350 * 1024;

/** @returns the number of chunks of content of this size */
export const countChunks = (bytes: number): number => Math.ceil(bytes / CHUNK_BYTES);

/** @returns the bytes in chunks of at most CHUNK_BYTES, which are views, not copies */
export function splitChunks(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: countChunks(bytes.length) }, (_, chunk) =>
    bytes.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES),
  );
}

/** @returns the chunks joined; a single chunk is returned without copying it */
export function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : joinPieces(chunks);
}

/**
 * Reads a range eventually consistently, and a second time consistently if `assemble` finds that something is missing.
 * @param assemble returns undefined if the items are incomplete
 * @throws ApiError STORE_INCONSISTENT if they are incomplete in the consistent read as well
 */
export async function readComplete<T>(
  table: Table,
  range: Omit<RangeQuery, 'consistent'>,
  assemble: (items: readonly Item[]) => T | undefined,
): Promise<T> {
  for (const consistent of [false, true]) {
    const assembled = assemble(await table.query({ ...range, consistent }));
    if (assembled !== undefined) return assembled;
  }
  throw storeInconsistent(`${range.pk} / ${range.from}…${range.to}`);
}

/**
 * Reads items by their keys eventually consistently, and then those that are missing consistently.
 * @returns one item per key
 * @throws ApiError STORE_INCONSISTENT if an item is missing in the consistent read as well
 */
export async function getComplete(table: Table, keys: readonly Key[]): Promise<Item[]> {
  const items = await table.getMany(keys, { consistent: false });
  const missing = keys.filter((_, index) => items[index] === undefined);
  const found = await table.getMany(missing, { consistent: true });
  return items.map((item, index) => {
    const existing = item ?? found.shift();
    if (existing === undefined) throw storeInconsistent(`${keys[index]?.pk} / ${keys[index]?.sk}`);
    return existing;
  });
}
