import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * The frame of every encoded column (see README.md): a header of 18 bytes, then the payload.
 * Byte 0 kind · 1 flags (bit 0: payload is zstd; others 0) · u32 rows · u32 payload length before compression · f64 sum of a measure's values (see `FrameHeader`),
 * 0 for other kinds. All little-endian. A frame has no checksum, because the item has one that contains it.
 */
const HEADER_BYTES = 18;
/** The flag of a compressed payload, the only flag. */
const ZSTD = 1;

/** Encoded payloads are mostly incompressible, so a higher level saves little. */
const ZSTD_LEVEL = 1;

const FRAME_KINDS = { keys: 1, measure: 2, shoppers: 3 } as const;
type FrameKind = keyof typeof FRAME_KINDS;

/** The members of a frame's header that describe its column. */
interface FrameHeader {
  readonly rows: number;
  /** The exact sum of all values of a measure, or if that of their absolute values is at least 2^53, that one, rounded. 0 for other kinds. */
  readonly sum: number;
}

/** A column's bytes are not what was written: truncated, changed or of another kind. */
export class CorruptColumnError extends Error {
  constructor(where: string, reason: string) {
    super(`column ${where}: ${reason}`);
    this.name = 'CorruptColumnError';
  }
}

/** @returns the framed column, not compressed */
export function writeFrame(kind: FrameKind, header: FrameHeader, payload: Uint8Array): Uint8Array {
  return buildFrame(FRAME_KINDS[kind], 0, header, payload.length, payload);
}

/** @returns the same column with its payload compressed, where that saves bytes */
export function compressFrame(frame: Uint8Array): Uint8Array {
  const payload = frame.subarray(HEADER_BYTES);
  if (isCompressed(frame)) return frame;
  const compressed = zstdCompressSync(payload, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
  if (compressed.length >= payload.length) return frame;
  return buildFrame(frame[0] ?? 0, ZSTD, headerOf(frame), payload.length, compressed);
}

/** The header that is being built: a view for each frame would cost more than the rest of a small one. */
const HEADER = new Uint8Array(HEADER_BYTES);
const HEADER_VIEW = new DataView(HEADER.buffer);

/** @param length of the payload before compression */
function buildFrame(
  kind: number,
  flags: number,
  { rows, sum }: FrameHeader,
  length: number,
  stored: Uint8Array,
): Uint8Array {
  HEADER.set([kind, flags]);
  HEADER_VIEW.setUint32(2, rows, true);
  HEADER_VIEW.setUint32(6, length, true);
  HEADER_VIEW.setFloat64(10, sum, true);
  const frame = new Uint8Array(HEADER_BYTES + stored.length);
  frame.set(HEADER);
  frame.set(stored, HEADER_BYTES);
  return frame;
}

function isCompressed(frame: Uint8Array): boolean {
  return frame[1] === ZSTD;
}

/** @returns the members of the frame's header, and the length of the payload before compression */
function headerOf(frame: Uint8Array): FrameHeader & { readonly length: number } {
  const header = new DataView(frame.buffer, frame.byteOffset, HEADER_BYTES);
  return { rows: header.getUint32(2, true), length: header.getUint32(6, true), sum: header.getFloat64(10, true) };
}

/**
 * @param where the column's name in errors
 * @returns the header and the decompressed payload
 * @throws CorruptColumnError when the bytes are not exactly a frame of that kind
 */
export function readFrame(kind: FrameKind, frame: Uint8Array, where: string): FrameHeader & { payload: Uint8Array } {
  const { length, ...header } = readFrameHeader(kind, frame, where);
  const stored = frame.subarray(HEADER_BYTES);
  const payload = isCompressed(frame) ? decompress(stored, length, where) : stored;
  if (payload.length !== length)
    throw new CorruptColumnError(where, `its payload has ${payload.length} bytes instead of ${length}`);
  return { ...header, payload };
}

/**
 * @returns the header, after a check of kind and flags; the length of the payload is not checked
 * @throws CorruptColumnError when they do not fit a frame of this kind
 */
export function readFrameHeader(kind: FrameKind, frame: Uint8Array, where: string) {
  if (frame.length < HEADER_BYTES)
    throw new CorruptColumnError(where, `${frame.length} bytes are too short for a frame`);
  const [found, flags = 0] = frame;
  if (found !== FRAME_KINDS[kind]) throw new CorruptColumnError(where, `kind ${found} where ${kind} was expected`);
  if (flags > ZSTD) throw new CorruptColumnError(where, `flags ${flags} are unknown`);
  return headerOf(frame);
}

/**
 * @param length the size that the decompressed bytes must not exceed
 * @returns the decompressed bytes of `stored`, one zstd frame
 * @throws CorruptColumnError when they do not decompress to at most `length` bytes
 */
export function decompress(stored: Uint8Array, length: number, where: string): Uint8Array {
  try {
    // one chunk that has room for all, and is returned without a copy; 64 bytes are the minimum
    const { buffer, byteOffset, byteLength } = zstdDecompressSync(stored, {
      maxOutputLength: length,
      chunkSize: length + 64,
    });
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch (error) {
    throw new CorruptColumnError(where, `it does not decompress (${error instanceof Error ? error.message : error})`);
  }
}
