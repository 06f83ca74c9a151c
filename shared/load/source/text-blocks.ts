import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { joinPieces } from '../../lib/join-pieces.ts';
import { PIECE_BYTES } from './file-source.ts';
import { UnreadableFileError } from './row-batch.ts';

/** Complete records of a text file, line breaks included. No other block uses the buffer, so it can be transferred to another thread. */
export interface TextBlock {
  /** A part of its buffer, which may be longer. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Line number of the block's first line, from 1. */
  readonly line: number;
}

/** Why a file with CR line endings, as old spreadsheets write them, is rejected. */
export const CR_LINE_ENDINGS = 'uses CR line endings; use LF or CRLF';

const NOT_UTF8 = 'is not UTF-8, but perhaps Latin-1 or Windows-1252: save the file as CSV UTF-8';
const UTF16_MARKS = ['fffe', 'feff'];
const GZIP = '1f8b';

/** What a text file is if it begins so, in hexadecimal. */
const NO_TEXT = [
  ['504b0304', 'is a zip archive or a workbook: unpack it, or save it as CSV UTF-8'],
  [GZIP, 'is gzip within gzip: compress it once'],
  ['50415231', 'is Parquet: name it .parquet'],
] as const;

/** @param head the first bytes of a text file, decompressed. @throws UnreadableFileError if they are UTF-16, whose ASCII has a zero in every other byte, or no text */
export function rejectNoText(head: Uint8Array): void {
  const hasZeros = (from: number) => head.length > 3 && head[from] === 0 && head[from + 2] === 0;
  if (UTF16_MARKS.some((mark) => beginsWith(head, mark)) || hasZeros(0) || hasZeros(1))
    throw new UnreadableFileError(null, 'is UTF-16: save it as CSV UTF-8');
  const [, reason] = NO_TEXT.find(([magic]) => beginsWith(head, magic)) ?? [];
  if (reason !== undefined) throw new UnreadableFileError(null, reason);
}

/** Limits the memory of a load, which holds several blocks at a time. A line that exceeds it by less than one piece may still be accepted. */
const MAX_LINE_BYTES = 16 << 20;
const NEWLINE = 0x0a;

/** @returns the end of the last complete line, line break included; 0 if none is complete */
export function endOfLines(bytes: Buffer): number {
  return bytes.lastIndexOf(NEWLINE) + 1;
}

/** The first bytes of files, in hexadecimal. */
export const MAGIC = { gzip: GZIP, zstd: '28b52ffd', parquet: '50415231' } as const;

/** @returns the first character of the text that the bytes begin, without a byte order mark and blanks */
export function firstVisible(bytes: Uint8Array): string {
  return bufferOf(bytes.subarray(0, 64)).toString('utf8').trimStart().charAt(0);
}

/** @returns the last character of the bytes that is no blank; '' if there is none */
export function lastVisible(bytes: Uint8Array): string {
  return String.fromCharCode(bytes.findLast((byte) => byte > 0x20) ?? 0x20).trim();
}

/** @returns whether the bytes begin so */
export function beginsWith(bytes: Uint8Array, magic: string): boolean {
  return bufferOf(bytes.subarray(0, magic.length / 2)).toString('hex') === magic;
}

/** @returns the pieces, and at least their first four bytes, if there are so many; close them unless they are read to the end */
export async function peek(pieces: AsyncIterable<Uint8Array>) {
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

/** Above `bytes`, a file that unpacks to more than `factor` times its size is no data: blank lines reach 1,030 in gzip and 30,000 in zstd, sorted exports of single impressions 270 and 670. */
const BOMB = { bytes: 64 << 20, factor: 1_000 };

/**
 * @returns the bytes, decompressed if the first ones say that they are gzip, which may have several members, or zstd, which may have several frames
 * @throws UnreadableFileError if the file is truncated or damaged, has other bytes at its end, or unpacks to far more than data do
 */
export async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { head, pieces } = await peek(bytes);
  const format = beginsWith(head, MAGIC.gzip) ? 'gzip' : beginsWith(head, MAGIC.zstd) ? 'zstd' : undefined;
  if (format === undefined) return yield* pieces;
  const source = pieces[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Uint8Array>> | undefined;
  /** What was read, and what of it the decoders have not consumed. */
  let [read, consumed, unpackedBytes] = [0, 0, 0];
  let unread: Uint8Array[] = [];
  const dropConsumed = (end: number) => {
    let at = read - unread.reduce((sum, piece) => sum + piece.length, 0);
    unread = unread.flatMap((piece) => {
      const rest = piece.subarray(Math.max(0, end - at));
      at += piece.length;
      return rest.length === 0 ? [] : [rest];
    });
  };
  try {
    do {
      const options = { chunkSize: PIECE_BYTES };
      const unpacked = format === 'gzip' ? createGunzip(options) : createZstdDecompress(options);
      const feed = async function* () {
        yield* unread;
        for (;;) {
          next ??= source.next();
          const { done, value } = await next;
          next = undefined;
          if (done === true) return;
          dropConsumed(consumed + unpacked.bytesWritten);
          unread.push(value);
          read += value.length;
          yield value;
        }
      };
      pipeline(Readable.from(feed()), unpacked, () => {}); // if either stream fails, `pipeline` destroys `unpacked` with that error, and the loop throws it
      for await (const piece of unpacked as AsyncIterable<Uint8Array>) {
        unpackedBytes += piece.length;
        if (unpackedBytes > Math.max(BOMB.bytes, BOMB.factor * (consumed + unpacked.bytesWritten)))
          throw new UnreadableFileError(null, `unpacks to more than ${BOMB.factor} times its size, as no data do`);
        yield piece;
      }
      await next; // the feed puts it into `unread` first
      consumed += unpacked.bytesWritten;
      dropConsumed(consumed);
      if (format === 'gzip' && unread.length > 0) throw new UnreadableFileError(null, 'has zeros after its gzip data'); // Node stops reading at them
    } while (unread.length > 0); // Node stops reading after a zstd frame that ends within a piece
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // errors of streams have a code
    throw /^Z(STD)?_/.test(code ?? '')
      ? new UnreadableFileError(null, `is truncated or damaged ${format}: ${message}`)
      : error;
  } finally {
    await source.return?.();
  }
}

/**
 * Cuts bytes into blocks of complete records of about a megabyte; the last record may lack its line break.
 * @param endOfRecords returns the end of the last complete record, line break included; 0 if none is complete. The bytes begin with a record
 * @throws UnreadableFileError if a record is too long
 */
export async function* cutBlocks(
  bytes: AsyncIterable<Uint8Array>,
  endOfRecords: (bytes: Buffer) => number,
): AsyncGenerator<TextBlock> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let minBytes = PIECE_BYTES;
  let line = 1;
  for await (const piece of bytes) {
    pieces.push(piece);
    length += piece.length;
    if (length < minBytes) continue;
    const joined = joinPieces(pieces);
    const end = endOfRecords(bufferOf(joined));
    const rest = end === 0 ? joined : joined.slice(end);
    pieces = [rest];
    length = rest.length;
    minBytes = PIECE_BYTES + (end === 0 ? length : 0);
    if (end === 0 && length > MAX_LINE_BYTES)
      throw new UnreadableFileError(
        line,
        `is longer than ${MAX_LINE_BYTES >> 20} MiB: is a quote not closed, or do lines not end in LF or CRLF?`,
      );
    if (end === 0) continue;
    const block = { bytes: joined.subarray(0, end), line };
    line += countNewlines(block.bytes);
    yield block;
  }
  if (length > 0) yield { bytes: joinPieces(pieces), line };
}

/** @returns the block as text, without a byte order mark. @throws UnreadableFileError at the first line that is not UTF-8 */
export function decodeBlock(block: TextBlock): string {
  const { bytes, line } = block;
  rejectOtherThanUtf8(block);
  const text = bufferOf(bytes).toString('utf8');
  return line === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** @throws UnreadableFileError at the first line that is not UTF-8 */
export function rejectOtherThanUtf8({ bytes, line }: TextBlock): void {
  if (!isUtf8(bytes)) throw new UnreadableFileError(line + countUtf8Lines(bytes), NOT_UTF8);
}

/** @returns the same bytes as a Buffer, which searches faster than other arrays */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function countNewlines(bytes: Uint8Array): number {
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
