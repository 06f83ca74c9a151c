import { decompressLz4, decompressLz4Raw } from 'hyparquet-compressors';

/** Two big-endian lengths: of a frame's bytes when decompressed, and of its compressed bytes, which follow. */
const HEADER_BYTES = 8;

/**
 * Decompresses Hadoop's frames of LZ4, or plain LZ4 if the bytes are no such frames. The library's own decoder goes backwards at a frame of negative length,
 * for ever.
 * @param length number of decompressed bytes
 */
export function decompressLz4Frames(bytes: Uint8Array, length: number): Uint8Array {
  return areFrames(bytes) ? decompressLz4(bytes, length) : decompressLz4Raw(bytes, length);
}

function areFrames(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  while (offset + HEADER_BYTES < bytes.length) offset += HEADER_BYTES + view.getUint32(offset + HEADER_BYTES / 2);
  return offset === bytes.length;
}
