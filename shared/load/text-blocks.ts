import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { copyPieces, joinPieces } from '../lib/join-pieces.ts';
import { UnreadableFileError } from './row-batch.ts';

/** Whole lines of a text file, line ends included, as they stand in it. */
export interface LineBlock {
  readonly bytes: Uint8Array;
  /** Line number of the block's first line, from 1. */
  readonly line: number;
}

/** The same as text. */
export interface TextBlock {
  readonly text: string;
  readonly line: number;
}

/** What is wrong with a file as spreadsheets of old systems write it. */
export const CR_LINE_ENDS = 'has line ends of CR alone; they must be LF or CRLF';

const PIECE_BYTES = 1 << 20;
/** Blocks are at least so long, but for the last. */
const BLOCK_BYTES = 1 << 19;
const MAX_LINE_BYTES = 64 << 20;
const NEWLINE = 0x0a;

/** @returns the bytes unpacked. @throws UnreadableFileError where they are not gzip, or end early */
export async function* gunzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip({ chunkSize: PIECE_BYTES });
  pipeline(Readable.from(bytes), unpacked, () => {}); // an error of either end destroys `unpacked` with it, and the loop throws it
  try {
    yield* unpacked;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // streams throw nothing but these
    throw code?.startsWith('Z_') === true ? new UnreadableFileError(null, `is not whole gzip: ${message}`) : error;
  }
}

/**
 * Cuts bytes into blocks of whole lines of about a megabyte; the last line may lack its line end. Blocks are to be released once they are read.
 * @throws UnreadableFileError where a line is longer than 64 MB
 */
export async function* readLineBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<LineBlock> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let line = 1;
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end === 0 || length + end < BLOCK_BYTES) {
      pieces.push(piece);
      length += piece.length;
      if (end === 0 && length > MAX_LINE_BYTES)
        throw new UnreadableFileError(line, 'is longer than 64 MB; lines end in LF or CRLF');
      continue;
    }
    const block = { bytes: joinShared([...pieces, piece.subarray(0, end)]), line };
    pieces = end < piece.length ? [piece.subarray(end)] : [];
    length = piece.length - end;
    line += countNewlines(block.bytes);
    yield block;
  }
  if (length > 0) yield { bytes: joinPieces(pieces), line };
}

/** Shared memory of blocks that are done with: to make new memory for each would keep the garbage collector as busy as the reading is. */
const SPARE: SharedArrayBuffer[] = [];
const SHARED_BYTES = 2 << 20;
/** The garbage collector does not know what shared memory takes, so there is never more of it. */
const MAX_SHARED = 16;
let shared = 0;

/** Takes back a block that no thread reads any more; one that never comes back is never used again. */
export function releaseBlock({ bytes: { buffer } }: LineBlock): void {
  if (buffer instanceof SharedArrayBuffer && !SPARE.includes(buffer)) SPARE.push(buffer);
}

function joinShared(pieces: readonly Uint8Array[]): Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > SHARED_BYTES || (SPARE.length === 0 && shared === MAX_SHARED)) return joinPieces(pieces);
  if (SPARE.length === 0) shared++;
  const joined = new Uint8Array(SPARE.pop() ?? new SharedArrayBuffer(SHARED_BYTES), 0, length);
  copyPieces(pieces, joined);
  return joined;
}

/** @returns the block as text, without a byte order mark. @throws UnreadableFileError at the first line that is not UTF-8 */
export function decodeBlock(block: LineBlock): TextBlock {
  checkUtf8(block);
  const { bytes, line } = block;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return { text: line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text, line };
}

/** @throws UnreadableFileError at the first line that is not UTF-8 */
export function checkUtf8({ bytes, line }: LineBlock): void {
  if (!isUtf8(bytes)) throw new UnreadableFileError(line + badLine(bytes), 'is not UTF-8');
}

function countNewlines(block: Uint8Array): number {
  let count = 0;
  for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** @returns how many lines of the block are before the first that is not UTF-8. */
function badLine(block: Uint8Array): number {
  let lines = 0;
  for (let at = 0; ; lines++) {
    const end = block.indexOf(NEWLINE, at);
    if (end < 0 || !isUtf8(block.subarray(at, end))) return lines;
    at = end + 1;
  }
}
