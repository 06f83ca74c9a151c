import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Negotiator } from 'negotiator';

type ContentCoding = 'br' | 'gzip';

/** @returns all values of a header; the name is in lower case */
export type ReadHeader = (name: string) => readonly string[];

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** For the levels see "Compression of large pages" in shared/README.md. */
const ENCODERS: Readonly<Record<ContentCoding, (body: string | Buffer) => Promise<Buffer>>> = {
  br: (body) => compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => compressGzip(body, { level: 6 }),
};
/** In the order of preference. */
const CODINGS: readonly ContentCoding[] = ['br', 'gzip'];

/** The beginning of an Accept header from which API Gateway reads a media type. */
const MEDIA_TYPE = /^[^\s/,;]+\/[^\s/,;]+/;

/**
 * @param accept the values of the header Accept
 * @returns whether a binary body arrives as bytes. API Gateway decodes its base64 only if the first media type in Accept is one of the API's binary media
 * types: these are all types, so any type will do, but there must be one
 */
export function acceptsBinary(accept: readonly string[]): boolean {
  return accept.length > 0 && accept.every((value) => MEDIA_TYPE.test(value.trim()));
}

/** @returns the coding in which the client prefers a compressed body; undefined if it accepts none, or no binary body */
export function acceptedCoding(headerOf: ReadHeader): ContentCoding | undefined {
  if (!acceptsBinary(headerOf('accept'))) return undefined;
  const headers = { 'accept-encoding': headerOf('accept-encoding').join(',') };
  const accepted = new Negotiator({ headers }).encoding(CODINGS, { preferred: CODINGS });
  return CODINGS.find((coding) => coding === accepted);
}

/** @returns the compressed body. Another thread compresses it. */
export function encode(coding: ContentCoding, body: string | Buffer): Promise<Buffer> {
  return ENCODERS[coding](body);
}

/** Maximum size of a response body, in bytes. Lambda's limit is 6 MB, which also covers the headers. */
export const MAX_RESPONSE_BYTES = 5_500_000;

/** Share of the limit that a suggested page size leaves unused, because rows differ, and compress differently. */
const MARGIN = 0.1;

/** @returns the size of a body as Lambda counts it: bytes in base64, and a text as a JSON string, in which some characters are escaped */
export function sizeInResponse(body: string | Buffer): number {
  return typeof body === 'string' ? Buffer.byteLength(JSON.stringify(body)) - 2 : Math.ceil(body.length / 3) * 4;
}

/** @returns the page size to suggest if a page of `rows` rows has too many bytes; at least 1, because 1 is the smallest page size */
export function fittingSize(rows: number, bytes: number): number {
  return Math.max(1, Math.floor((rows * MAX_RESPONSE_BYTES * (1 - MARGIN)) / bytes));
}
