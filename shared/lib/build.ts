import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

let known: string | undefined;

/** @returns what tells this build from others: a digest of the file that runs, which in a bundle is all of the code. Read once. */
export function buildId(): string {
  known ??= createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .digest('base64url')
    .slice(0, 16);
  return known;
}
