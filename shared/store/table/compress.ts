import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** @returns the bytes compressed with zstd, with a checksum that `decompress` verifies */
export function compress(bytes: Uint8Array | string): Uint8Array {
  const pledgedSrcSize = Buffer.byteLength(bytes); // with it, zstd sets up less memory for few bytes
  return new Uint8Array(zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 }, pledgedSrcSize }));
}

/** @returns the bytes that `compress` compressed. @throws Error naming `where` if they are damaged or not in zstd's format */
export function decompress(bytes: Uint8Array, where: string): Uint8Array {
  try {
    return new Uint8Array(zstdDecompressSync(bytes));
  } catch (cause) {
    throw new Error(`cannot decompress ${where}`, { cause });
  }
}

export const compressJson = (value: unknown): Uint8Array => compress(JSON.stringify(value));

/** @returns the value that `compressJson` compressed. @throws Error naming `where` if the bytes do not decompress */
export const decompressJson = (bytes: Uint8Array, where: string): unknown =>
  JSON.parse(Buffer.from(decompress(bytes, where)).toString());
