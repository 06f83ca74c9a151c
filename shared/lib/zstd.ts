import { constants, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Size of the reused output buffer. `zstdDecompressSync` is used if `maxLength` is finite and not smaller, or if the content is empty or not smaller. */
const SCRATCH_BYTES = 2 ** 20;
/** Bounds of the buffers of `zstdDecompressSync` where the length is limited: with smaller ones, Node does not notice some damage. */
const [MIN_BUFFER_BYTES, MAX_BUFFER_BYTES] = [16 * 2 ** 10, 16 * 2 ** 20];

/**
 * Decompresses with one context that is reused, because `zstdDecompressSync` makes one for each call, which takes longer than
 * decompressing a small column.
 * @param frame one zstd frame
 * @param maxLength the number of bytes that the result must not exceed; 0 counts as 1, because Node rejects 0
 * @returns the decompressed bytes, in memory of their own
 * @throws if the frame is damaged or its content is longer
 */
export function decompress(frame: Uint8Array, maxLength = Number.POSITIVE_INFINITY): Uint8Array {
  const isSmall = maxLength < SCRATCH_BYTES || maxLength === Number.POSITIVE_INFINITY;
  if (isAvailable && isSmall) reused ??= openDecompressor();
  const content = isSmall ? reused?.(frame) : undefined;
  if (content !== undefined && content.length <= maxLength) return content;
  if (isSmall && content === undefined) reused = undefined; // it may have stopped within a frame
  if (!Number.isFinite(maxLength)) return new Uint8Array(zstdDecompressSync(frame));
  const chunkSize = Math.min(Math.max(MIN_BUFFER_BYTES, maxLength), MAX_BUFFER_BYTES);
  return new Uint8Array(zstdDecompressSync(frame, { chunkSize, maxOutputLength: Math.max(1, maxLength) }));
}

/** @returns the content of a frame; undefined if it is damaged, empty, or has SCRATCH_BYTES or more */
type Decompressor = (frame: Uint8Array) => Uint8Array | undefined;

let reused: Decompressor | undefined;
/** Whether Node has the functions that `openDecompressor` uses. */
let isAvailable = true;

const SAMPLE = Buffer.from('sample');

/**
 * Opens what `zstdDecompressSync` calls in Node, which is not documented. So it is used only if it has these members, and decompresses SAMPLE twice.
 * @returns undefined if it does not
 */
function openDecompressor(): Decompressor | undefined {
  const stream = createZstdDecompress().on('error', () => undefined); // reported by `destroyed`
  const handle: unknown = Reflect.get(stream, '_handle');
  const left: unknown = Reflect.get(stream, '_writeState'); // bytes left of the output and of the input
  const write: unknown = Object(handle).writeSync;
  isAvailable = typeof write === 'function' && left instanceof Uint32Array;
  if (typeof write !== 'function' || !(left instanceof Uint32Array)) return undefined;
  const scratch = new Uint8Array(SCRATCH_BYTES);
  const decompressor: Decompressor = (frame) => {
    // with ZSTD_e_end, it is an error if the input ends within the frame, unless the output is full
    write.call(handle, constants.ZSTD_e_end, frame, 0, frame.length, scratch, 0, scratch.length);
    const [outputLeft = 0, inputLeft] = left;
    const isWhole = !stream.destroyed && outputLeft > 0 && outputLeft < scratch.length && inputLeft === 0;
    return isWhole ? scratch.slice(0, scratch.length - outputLeft) : undefined;
  };
  const frame = zstdCompressSync(SAMPLE);
  isAvailable = [1, 2].every(() => SAMPLE.equals(decompressor(frame) ?? scratch));
  return isAvailable ? decompressor : undefined;
}
