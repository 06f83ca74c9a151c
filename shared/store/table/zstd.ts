import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** @returns the bytes compressed with zstd, with a checksum that `inflate` verifies */
export function deflate(bytes: Uint8Array | string): Uint8Array {
  return new Uint8Array(zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }));
}

/** @returns the bytes that `deflate` compressed. @throws Error if they are damaged or not in zstd's format */
export function inflate(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(zstdDecompressSync(bytes));
}

/** @returns the value as compressed JSON */
export const deflateJson = (value: unknown): Uint8Array => deflate(JSON.stringify(value));

/** @returns the value that `deflateJson` compressed */
export const inflateJson = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(inflate(bytes)).toString());
