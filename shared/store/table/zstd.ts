import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** @returns the bytes compressed; a checksum goes with them, so damage is an error when they are inflated. */
export function deflate(bytes: Uint8Array | string): Uint8Array {
  return new Uint8Array(zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }));
}

/** @returns the bytes that `deflate` was given. @throws Error when they are something else */
export function inflate(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(zstdDecompressSync(bytes));
}

/** @returns JSON text, compressed. */
export const deflateJson = (value: unknown): Uint8Array => deflate(JSON.stringify(value));

/** @returns the value that `deflateJson` was given. */
export const inflateJson = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(inflate(bytes)).toString());
