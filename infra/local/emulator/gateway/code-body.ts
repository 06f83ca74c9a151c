import { deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';

/** The content codings that API Gateway supports, in its order of preference. */
const CODINGS = {
  gzip: { encode: gzipSync, decode: gunzipSync },
  deflate: { encode: deflateSync, decode: inflateSync },
} as const;

/**
 * @returns the decoded body, or undefined if the coding is not supported or the body is not encoded with it
 * @param coding the Content-Encoding header; undefined and `identity` leave the body as it is, whatever its size
 * @param max bytes of a decoded body, above which it is `too large`
 */
export function decodeBody(body: Buffer, coding: string | undefined, max: number): Buffer | 'too large' | undefined {
  const name = coding?.trim().toLowerCase() ?? 'identity';
  if (name === 'identity') return body;
  if (!isCoding(name)) return undefined;
  try {
    return CODINGS[name].decode(body, { maxOutputLength: max });
  } catch (error) {
    return error instanceof RangeError ? 'too large' : undefined;
  }
}

/**
 * @returns the encoded body, or undefined if the client accepts no supported coding by name
 * @param accepted the Accept-Encoding header
 */
export function encodeBody(body: Buffer, accepted: string | undefined): { coding: string; body: Buffer } | undefined {
  const rejected = /;\s*q=0(\.0*)?$/;
  const entries = (accepted ?? '').split(',').map((entry) => entry.trim().toLowerCase());
  const names = new Set(entries.filter((entry) => !rejected.test(entry)).map((entry) => entry.replace(/\s*;.*$/, '')));
  for (const [coding, { encode }] of Object.entries(CODINGS)) {
    if (names.has(coding)) return { coding, body: encode(body) };
  }
  return undefined;
}

function isCoding(name: string): name is keyof typeof CODINGS {
  return Object.hasOwn(CODINGS, name);
}
