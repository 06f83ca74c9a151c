import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';

/** The codings API Gateway takes and gives, the one it prefers first. */
const CODINGS = {
  gzip: {
    encode: (body: Buffer) => gzipSync(body),
    decode: (body: Buffer, max: number) => gunzipSync(body, limit(max)),
  },
  deflate: {
    encode: (body: Buffer) => deflateSync(body),
    decode: (body: Buffer, max: number) => inflateSync(body, limit(max)),
  },
} as const;
const limit = (max: number) => ({ maxOutputLength: max });

/**
 * @param coding the Content-Encoding header; undefined and `identity` change nothing
 * @param max bytes of the decoded body
 * @returns undefined where the coding is not taken, or the body is not encoded so
 */
export function decodeBody(body: Buffer, coding: string | undefined, max: number): Buffer | 'too large' | undefined {
  const name = coding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity') return body;
  if (!isCoding(name)) return undefined;
  try {
    return CODINGS[name].decode(body, max);
  } catch (error) {
    return error instanceof RangeError ? 'too large' : undefined;
  }
}

/**
 * @param accepted the Accept-Encoding header; without a coding named there, nothing is encoded
 * @returns undefined where the body is to be sent as it is
 */
export function encodeBody(body: Buffer, accepted: string | undefined): { coding: string; body: Buffer } | undefined {
  const refused = /;\s*q=0(\.0*)?$/;
  const named = (accepted ?? '').split(',').map((entry) => entry.trim().toLowerCase());
  const names = new Set(named.filter((entry) => !refused.test(entry)).map((entry) => entry.replace(/\s*;.*$/, '')));
  for (const [coding, { encode }] of Object.entries(CODINGS)) {
    if (names.has(coding)) return { coding, body: encode(body) };
  }
  return undefined;
}

function isCoding(name: string): name is keyof typeof CODINGS {
  return Object.hasOwn(CODINGS, name);
}
