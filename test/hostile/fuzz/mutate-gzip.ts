import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Random } from '../../oracle/random/random.ts';
import type { Mutant } from './mutate-file.ts';

const EMPTY = Buffer.alloc(0);
const NAMES = ['', 'delivery.csv', '../../etc/passwd', 'é', 'x'.repeat(70_000)];

/** @returns the content as gzip of another structure, right or wrong, with the outcome that this must have */
export function mutateGzip(random: Random, content: Buffer): Mutant {
  const loaded = (...parts: readonly Buffer[]): Mutant => ({ bytes: Buffer.concat(parts), outcome: 'loaded' });
  const rejected = (...parts: readonly Buffer[]): Mutant => ({ bytes: Buffer.concat(parts), outcome: 'rejected' });
  const fields = randomFields(random);
  const wrong = (options: MemberOptions) => rejected(gzipMember(content, { ...fields, ...options }));
  const whole = gzipMember(content, fields);
  const middle = random.int(content.length + 1);
  const [first, second] = [gzipMember(content.subarray(0, middle), fields), gzipMember(content.subarray(middle))];
  switch (random.int(15)) {
    case 0:
    case 1:
      return loaded(whole);
    case 2:
      return wrong({ hasHeaderCrc: true, headerCrcError: 1 << random.int(16) });
    case 3: {
      // directly before the compressed bytes: a name or comment would only be shorter or longer
      const options = { extra: randomBytes(random, 20), extraLengthError: random.pick([-7, -1, 1, 300, 60_000]) };
      return rejected(gzipMember(content, options));
    }
    case 4:
      return wrong({ moreFlags: random.pick([0x20, 0x40, 0x80]) });
    case 5:
      return wrong({ method: random.pick([0, 7, 9, 255]) });
    case 6:
      return wrong({ crcError: 2 ** random.int(32) });
    case 7:
      return wrong({ sizeError: 2 ** random.int(32) });
    case 8:
    case 9:
      return loaded(first, second);
    case 10: {
      const parts = [first, second];
      return loaded(...parts.toSpliced(random.int(3), 0, gzipMember(EMPTY, randomFields(random))));
    }
    case 11: // within the second member, at least one byte of which is left
      return rejected(first, second.subarray(0, 1 + random.int(second.length - 1)));
    case 12: // the first member has the trailer of the second
      return middle === 0 || middle === content.length
        ? loaded(first, second)
        : rejected(first.subarray(0, -8), second.subarray(-8), second);
    case 13:
      return rejected(
        whole,
        Buffer.alloc(random.pick([0, 0, 1, 600])),
        Buffer.from([0x1f + random.int(200)]),
        randomBytes(random, 40),
      );
    default:
      return rejected(whole, Buffer.alloc(1 + random.int(600)));
  }
}

function randomFields(random: Random): MemberOptions {
  return {
    ...{ isText: random.chance(0.3), hasHeaderCrc: random.chance(0.4) },
    ...(random.chance(0.4) ? { extra: randomBytes(random, random.pick([0, 5, 65_535])) } : {}),
    ...(random.chance(0.4) ? { name: random.pick(NAMES) } : {}),
    ...(random.chance(0.3) ? { comment: random.pick(NAMES) } : {}),
    ...{ mtime: random.pick([0, 1, 2 ** 32 - 1]), system: random.pick([0, 3, 11, 255]) },
  };
}

function randomBytes(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.int(256)));
}

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
