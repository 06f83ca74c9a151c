import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

/** The members of gzip's format, RFC 1952, written and read without Node's gzip: what the tests compare the loader with. */

const [FTEXT, FHCRC, FEXTRA, FNAME, FCOMMENT] = [0x01, 0x02, 0x04, 0x08, 0x10] as const;
const RESERVED_FLAGS = 0xe0;
const DEFLATE = 8;
const TRAILER_BYTES = 8;

/** What the header of a member has besides its fixed fields, and what is wrong in the member. */
export interface MemberOptions {
  readonly isText?: boolean;
  readonly extra?: Uint8Array;
  /** Added to the length of `extra` that the header states. */
  readonly extraLengthError?: number;
  readonly name?: string;
  readonly comment?: string;
  readonly hasHeaderCrc?: boolean;
  /** XORed with the checksum of the header; 0: it is right. */
  readonly headerCrcError?: number;
  readonly mtime?: number;
  readonly system?: number;
  readonly moreFlags?: number;
  readonly method?: number;
  /** XORed with the checksum of the content. */
  readonly crcError?: number;
  /** XORed with the size of the content. */
  readonly sizeError?: number;
}

export function gzipMember(content: Uint8Array, options: MemberOptions = {}): Buffer {
  const { isText = false, extra, name, comment, hasHeaderCrc = false, moreFlags = 0, method = DEFLATE } = options;
  const flags =
    (isText ? FTEXT : 0) |
    (hasHeaderCrc ? FHCRC : 0) |
    (extra === undefined ? 0 : FEXTRA) |
    (name === undefined ? 0 : FNAME) |
    (comment === undefined ? 0 : FCOMMENT) |
    moreFlags;
  const header = Buffer.concat([
    Buffer.from([0x1f, 0x8b, method, flags]),
    integer(options.mtime ?? 0, 4),
    Buffer.from([0, options.system ?? 255]),
    ...(extra === undefined ? [] : [integer(extra.length + (options.extraLengthError ?? 0), 2), extra]),
    ...[name, comment].map((text) => Buffer.from(text === undefined ? '' : `${text}\0`, 'latin1')),
  ]);
  const headerCrc = integer((crc32(header) & 0xffff) ^ (options.headerCrcError ?? 0), 2);
  return Buffer.concat([
    ...[header, hasHeaderCrc ? headerCrc : Buffer.alloc(0), deflateRawSync(content)],
    integer(crc32(content) ^ (options.crcError ?? 0), 4),
    integer(content.length ^ (options.sizeError ?? 0), 4),
  ]);
}

function integer(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value >>> 0, 0, bytes);
  return buffer;
}

/** @returns the content of all members; undefined if one is damaged, or if anything follows the last one, which `gzip -d` ignores or warns of */
export function readMembers(bytes: Buffer): Buffer | undefined {
  const contents: Buffer[] = [];
  try {
    for (let at = 0; at === 0 || at < bytes.length; ) {
      const from = endOfHeader(bytes, at);
      const { content, length } = inflate(bytes.subarray(from));
      const end = from + length;
      const isWhole = bytes.readUInt32LE(end) === crc32(content) && bytes.readUInt32LE(end + 4) === content.length;
      if (!isWhole) return undefined;
      contents.push(content);
      at = end + TRAILER_BYTES;
    }
    return Buffer.concat(contents);
  } catch {
    return undefined;
  }
}

/** @returns the content that begins the bytes, and its compressed length */
function inflate(bytes: Buffer): { content: Buffer; length: number } {
  const inflated: unknown = inflateRawSync(bytes, { info: true }); // the types lack what `info` returns
  const { buffer, engine } = Object(inflated);
  return { content: buffer, length: engine.bytesWritten };
}

/** @throws if no header begins at `start` */
function endOfHeader(bytes: Buffer, start: number): number {
  const [method, flags] = [bytes.readUInt8(start + 2), bytes.readUInt8(start + 3)];
  const isGzip = bytes.readUInt16BE(start) === 0x1f8b && method === DEFLATE && (flags & RESERVED_FLAGS) === 0;
  if (!isGzip) throw new Error('not a gzip member');
  let at = start + 10;
  if ((flags & FEXTRA) !== 0) at += 2 + bytes.readUInt16LE(at);
  for (const flag of [FNAME, FCOMMENT]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end < 0) throw new Error('a text of the header does not end');
    at = end + 1;
  }
  if ((flags & FHCRC) === 0) return at;
  if (bytes.readUInt16LE(at) !== (crc32(bytes.subarray(start, at)) & 0xffff)) throw new Error('the header is damaged');
  return at + 2;
}
