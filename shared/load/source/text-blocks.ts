import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { joinPieces } from '../../lib/join-pieces.ts';
import { UnreadableFileError } from './row-batch.ts';

/** Complete records of a text file, line breaks included. No other block uses the buffer, so it can be transferred to another thread. */
export interface TextBlock {
  /** A part of its buffer, which may be longer. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Line number of the block's first line, from 1. */
  readonly line: number;
}

/** How a text is cut into records. */
export interface RecordFormat {
  /** @returns the end of the last complete record, line break included; 0 if none is complete. The bytes begin with a record. */
  endOfRecords(bytes: Buffer): number;
  /** @returns the reason to reject the file if its record has not ended within `bytes`; undefined if reading may continue */
  explainUnended(bytes: Buffer): string | undefined;
}

/** Why a file with CR line endings, as old spreadsheets write them, is rejected. */
export const CR_LINE_ENDINGS = 'uses CR line endings; use LF or CRLF';

const NOT_UTF8 = 'is not UTF-8, but perhaps Latin-1 or Windows-1252: save the file as CSV UTF-8';
const UTF16_MARKS = ['fffe', 'feff'];

/** @param head the first bytes of a text file. @throws UnreadableFileError if they are a byte order mark of UTF-16 */
export function rejectUtf16(head: Uint8Array): void {
  if (UTF16_MARKS.some((mark) => beginsWith(head, mark)))
    throw new UnreadableFileError(null, 'is UTF-16: save it as CSV UTF-8');
}

const PIECE_BYTES = 1 << 20;
/** At least this many bytes are collected before a block is cut. A block ends with the last complete record among them, so it may be shorter. */
const BLOCK_BYTES = 1 << 20;
/** Limits the memory of a load, which holds several blocks at a time. A line that exceeds it by less than one piece may still be accepted. */
export const MAX_LINE_BYTES = 16 << 20;
export const TOO_LONG = `is longer than ${MAX_LINE_BYTES >> 20} MiB`;
/**
 * How many more bytes are collected if no record is complete. It is small because the block may then end with many short rows, each of which takes up to
 * 200 bytes when it is read.
 */
const STEP_BYTES = 2 << 20;
const NEWLINE = 0x0a;

/** Each line is a record. */
export const LINES: RecordFormat = {
  endOfRecords: (bytes) => bytes.lastIndexOf(NEWLINE) + 1,
  explainUnended: (bytes) => (bytes.length > MAX_LINE_BYTES ? `${TOO_LONG}; lines end in LF or CRLF` : undefined),
};

/** The first bytes of files, in hexadecimal. */
export const MAGIC = { gzip: '1f8b', zstd: '28b52ffd', parquet: '50415231' } as const;

/** @returns whether the bytes begin so */
export function beginsWith(bytes: Uint8Array, magic: string): boolean {
  return bufferOf(bytes.subarray(0, magic.length / 2)).toString('hex') === magic;
}

/** Bytes whose first ones can be looked at before they are read. */
export interface Peeked {
  /** At least four bytes, if there are so many. */
  readonly head: Uint8Array;
  /** All bytes. */
  readonly pieces: AsyncIterable<Uint8Array>;
  close(): Promise<unknown>;
}

/** @returns the pieces and their first bytes; close them unless they are read to the end */
export async function peek(pieces: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const rest = pieces[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let length = 0; length < 4; ) {
    const { done, value } = await rest.next();
    if (done === true) break;
    first.push(value);
    length += value.length;
  }
  const close = async () => rest.return?.();
  const readAll = async function* () {
    try {
      yield* first;
      for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
    } finally {
      await close();
    }
  };
  return { head: joinPieces(first), pieces: readAll(), close };
}

/**
 * A file may have several gzip members, and zeros after the last one.
 * @param read reads the file from its beginning; called a second time for a file with zeros at its end
 * @param size of the file in bytes
 * @returns the bytes, decompressed if the first ones say that they are gzip or zstd
 * @throws UnreadableFileError if the file is truncated or damaged, or has other bytes after zeros, or after a zstd frame
 */
export async function* decompress(read: () => AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const { head, pieces } = await peek(read());
  const format = beginsWith(head, MAGIC.gzip) ? 'gzip' : beginsWith(head, MAGIC.zstd) ? 'zstd' : undefined;
  if (format === undefined) return yield* pieces;
  const options = { chunkSize: PIECE_BYTES };
  const unpacked = format === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
  pipeline(Readable.from(pieces), unpacked, () => {}); // if either stream fails, `pipeline` destroys `unpacked` with that error, and `yield*` throws it
  try {
    yield* unpacked;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // errors of streams have a code
    throw /^Z(STD)?_/.test(code ?? '')
      ? new UnreadableFileError(null, `is truncated or damaged ${format}: ${message}`)
      : error;
  }
  const end = unpacked.bytesWritten; // Node stops reading at a zero after a gzip member, whatever follows, and after a zstd frame
  if (end === size) return;
  if (format === 'zstd') throw new UnreadableFileError(null, 'has several zstd frames: compress it as a whole');
  if (!(await endsInZeros(read(), end)))
    throw new UnreadableFileError(null, 'is truncated or damaged gzip: data after zeros');
}

/** @returns whether all bytes from `start` on are zeros */
async function endsInZeros(bytes: AsyncIterable<Uint8Array>, start: number): Promise<boolean> {
  let position = 0;
  for await (const piece of bytes) {
    if (piece.subarray(Math.max(0, start - position)).some((byte) => byte !== 0)) return false;
    position += piece.length;
  }
  return true;
}

/**
 * Cuts bytes into blocks of complete records of about a megabyte; the last record may lack its line break.
 * @throws UnreadableFileError if a record is too long
 */
export async function* cutBlocks(bytes: AsyncIterable<Uint8Array>, format: RecordFormat): AsyncGenerator<TextBlock> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let minBytes = BLOCK_BYTES;
  let line = 1;
  for await (const piece of bytes) {
    pieces.push(piece);
    length += piece.length;
    if (length < minBytes) continue;
    const joined = joinPieces(pieces);
    const end = format.endOfRecords(bufferOf(joined));
    const rest = end === 0 ? joined : joined.slice(end);
    pieces = [rest];
    length = rest.length;
    // in steps: a long record is searched only a few times, and few rows follow it in its block
    minBytes = end === 0 ? Math.min(length + STEP_BYTES, MAX_LINE_BYTES) : BLOCK_BYTES;
    if (end === 0) {
      const reason = format.explainUnended(bufferOf(joined));
      if (reason !== undefined) throw new UnreadableFileError(line, reason);
      continue;
    }
    const block = { bytes: joined.subarray(0, end), line };
    line += countNewlines(block.bytes);
    yield block;
  }
  if (length > 0) yield { bytes: joinPieces(pieces), line };
}

/** @returns the block as text, without a byte order mark. @throws UnreadableFileError at the first line that is not UTF-8 */
export function decodeBlock({ bytes, line }: TextBlock): string {
  if (!isUtf8(bytes)) throw new UnreadableFileError(line + countUtf8Lines(bytes), NOT_UTF8);
  const text = bufferOf(bytes).toString('utf8');
  return line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** @returns the same bytes as a Buffer, which searches faster than other arrays */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function countNewlines(bytes: Uint8Array): number {
  const buffer = bufferOf(bytes);
  let count = 0;
  for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

/** @returns how many lines come before the first that is not UTF-8 */
function countUtf8Lines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = 0; ; lines++) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0 || !isUtf8(bytes.subarray(at, end))) return lines;
    at = end + 1;
  }
}
