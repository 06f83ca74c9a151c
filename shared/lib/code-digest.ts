import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let cached: string | undefined;

/** @returns a digest of the running file. A bundle contains all code, so the digest changes exactly when the code does. */
export function codeDigest(): string {
  cached ??= createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .digest('base64url')
    .slice(0, 16);
  return cached;
}
