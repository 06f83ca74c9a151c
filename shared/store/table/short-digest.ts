import type { Hash } from 'node:crypto';

/** 132 bits, so that different contents have different digests. */
const CHARACTERS = 22;

/** @returns the first characters of the digest in base64url, 6 bits each */
export function shortDigest(hash: Hash, characters = CHARACTERS): string {
  return hash.digest('base64url').slice(0, characters);
}
