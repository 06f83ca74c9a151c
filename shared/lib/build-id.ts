import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let cached: string | undefined;

/** @returns an id that differs from build to build: a digest of the running file, which in a bundle contains all code */
export function buildId(): string {
  cached ??= createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .digest('base64url')
    .slice(0, 16);
  return cached;
}
