import { crc32 } from 'node:zlib';
import { bytesIn, type Item, numberIn } from './item.ts';
import type { Key } from './item-keys.ts';

/** @returns the item of a chunk, with a checksum of its key and bytes */
export function chunkItem(key: Key, bytes: Uint8Array): Item {
  return { pk: key.pk, sk: key.sk, bytes, sum: checksum(key, bytes) };
}

/** @returns the bytes of a chunk. @throws Error naming the item if its checksum does not match its key and bytes */
export function chunkBytes(item: Item): Uint8Array {
  const bytes = bytesIn(item, 'bytes');
  if (numberIn(item, 'sum') !== checksum(item, bytes)) throw new Error(`the item ${item.pk} / ${item.sk} is damaged`);
  return bytes;
}

const checksum = (key: Key, bytes: Uint8Array): number => crc32(bytes, crc32(`${key.pk} ${key.sk}`));
