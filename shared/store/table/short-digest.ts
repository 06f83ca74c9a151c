import type { Hash } from 'node:crypto';

/** @returns 132 bits of the digest in base64url, so that different contents have different ones */
export function shortDigest(hash: Hash): string {
  return hash.digest('base64url').slice(0, 22);
}
