import { crc32 } from 'node:zlib';
import type { Item } from './item.ts';
import { bytesIn, numberIn } from './item.ts';
import type { Key } from './keys.ts';

/** @returns the item that holds `bytes` at `key`, with a checksum over both. */
export function segmentItem(key: Key, bytes: Uint8Array): Item {
  return { pk: key.pk, sk: key.sk, bytes, sum: sumOf(key, bytes) };
}

/** @returns the bytes of a segment. @throws Error naming the item, when they are not what was written at this very key */
export function segmentBytes(item: Item): Uint8Array {
  const bytes = bytesIn(item, 'bytes');
  if (numberIn(item, 'sum') !== sumOf(item, bytes)) throw new Error(`the item ${item.pk} / ${item.sk} is damaged`);
  return bytes;
}

const sumOf = (key: Key, bytes: Uint8Array): number => crc32(bytes, crc32(`${key.pk} ${key.sk}`));
