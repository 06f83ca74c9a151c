import { constants, zstdCompressSync } from 'node:zlib';
import { isOptional, splitOf } from '../catalog/tables.ts';
import type { EncodedRollup } from '../layout/partitions.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decompress } from './frame.ts';
import { decodeColumn, keepPart } from './kept-columns.ts';

/** The columns of a rollup that are packs of their own, because few reports read them: the measures of a table that a load splits by the purchased product, and those that few networks have. */
const OWN_PACKS = ['parts', 'optional'] as const;

/** @returns the pack of its own that has the measure; undefined for most */
export function ownPackOf(measure: string): (typeof OWN_PACKS)[number] | undefined {
  return splitOf(measure) ? 'parts' : isOptional(measure) ? 'optional' : undefined;
}

/** Packs are small, written once and read often: this level compresses best within about a millisecond. */
const PACK_LEVEL = 9;

/**
 * Compresses small columns together: u32 length before compression, then one zstd frame of `varint columns` and, for each column, `varint` length of its name,
 * UTF-8 name, `varint` length, bytes.
 * @param columns uncompressed frames by column name
 */
export function packColumns(columns: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const writer = new ByteWriter().varint(columns.size);
  for (const [name, bytes] of columns) {
    const text = new TextEncoder().encode(name);
    writer.varint(text.length).raw(text).varint(bytes.length).raw(bytes);
  }
  const payload = writer.finish();
  const params = { [constants.ZSTD_c_compressionLevel]: PACK_LEVEL };
  const packed = zstdCompressSync(payload, { params, pledgedSrcSize: payload.length }); // with the size, zstd sets up less memory
  return new ByteWriter().u32(payload.length).raw(packed).finish();
}

/**
 * @param where the pack's name in errors
 * @returns the frames by column name
 * @throws CorruptColumnError when the bytes are not such a pack
 */
export function unpackColumns(bytes: Uint8Array, where: string): Map<string, Uint8Array> {
  const outer = new ByteReader(bytes, where);
  const length = outer.u32();
  const reader = new ByteReader(decompress(outer.rest(), length, where), where);
  const columns = new Map<string, Uint8Array>();
  for (let left = reader.varint(); left > 0; left--) {
    const name = new TextDecoder().decode(reader.raw(reader.varint()));
    columns.set(name, reader.raw(reader.varint()));
  }
  reader.end();
  return columns;
}

/**
 * @param where the rollup's name in errors
 * @returns the frames of all packs and separate columns by `<table>/<column>`
 * @throws CorruptColumnError when one of the packs is none
 */
export function unpackRollup({ packed, columns }: EncodedRollup, where: string): Map<string, Uint8Array> {
  const all = new Map(decodeColumn(packed, where, unpackKept));
  for (const [name, bytes] of columns) {
    const isPack = OWN_PACKS.some((pack) => name.endsWith(`/${pack}`));
    const found = isPack ? decodeColumn(bytes, where, unpackKept) : [[name, bytes] as const];
    for (const [column, frame] of found) all.set(column, frame);
  }
  return all;
}

/** Like `unpackColumns`; what the columns are decoded to is kept as long as the pack is. */
function unpackKept(bytes: Uint8Array, where: string): Map<string, Uint8Array> {
  const columns = unpackColumns(bytes, where);
  for (const column of columns.values()) keepPart(bytes, column);
  return columns;
}
