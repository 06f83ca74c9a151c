import { createHash } from 'node:crypto';
import { CONCURRENCY, forEachConcurrently } from '../lib/concurrency.ts';
import type { Problem } from '../load/schema/problems.ts';
import { type Bucket, ObjectChangedError, type PinnedObject, UnreadableObjectError } from './bucket.ts';
import { type NamedFile, READY_FILE } from './ready-file.ts';

/**
 * Reads every file that `_READY` lists and compares its size and SHA-256. Other objects of the bucket are ignored.
 * @param onBytes called with the number of bytes of each piece that was read
 * @returns the matching files, by name, with the SHA-256 of their content; and the problems in the order of `_READY`: the folder may be loaded only if there are none
 * @throws the signal's reason when it aborts, and errors of the bucket that no file has caused
 */
export async function verifyFiles(
  bucket: Bucket,
  prefix: string,
  files: readonly NamedFile[],
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<{ readonly objects: ReadonlyMap<string, PinnedObject>; readonly problems: readonly Problem[] }> {
  const objects = new Map<string, PinnedObject>();
  const reasons = new Map<string, string>();
  await forEachConcurrently(files, CONCURRENCY, async (file) => {
    signal.throwIfAborted();
    try {
      const object = await bucket.head(`${prefix}${file.name}`);
      const reason = object === undefined ? 'is not in the bucket' : await compare(object, file);
      if (reason !== undefined) reasons.set(file.name, reason);
      else if (object !== undefined) objects.set(file.name, { ...object, sha256: file.sha256.toLowerCase() });
    } catch (error) {
      const problem = problemOf(error, prefix);
      if (problem === undefined) throw error;
      reasons.set(file.name, problem.reason);
    }
  });
  const problems = files.flatMap(({ name }) => {
    const reason = reasons.get(name);
    return reason === undefined ? [] : [{ file: name, line: null, field: null, reason }];
  });
  return { objects, problems };

  /** @returns how the object differs from `_READY`; undefined if it does not */
  async function compare(object: PinnedObject, { bytes, sha256 }: NamedFile): Promise<string | undefined> {
    if (object.bytes !== bytes) return `has ${object.bytes} bytes, but ${READY_FILE} lists ${bytes}`;
    const hash = createHash('sha256');
    for await (const piece of bucket.read(object)) {
      signal.throwIfAborted();
      hash.update(piece);
      onBytes(piece.length);
    }
    const found = hash.digest('hex');
    return found === sha256.toLowerCase() ? undefined : `has the SHA-256 ${found}, but ${READY_FILE} lists another`;
  }
}

const CHANGED = `was changed or deleted while it was being read; write ${READY_FILE} last`;

/** @returns the problem with a file of the folder that the error of the bucket is about; undefined if the file did not cause it */
export function problemOf(error: unknown, prefix: string): Problem | undefined {
  if (!(error instanceof ObjectChangedError || error instanceof UnreadableObjectError)) return undefined;
  const reason = error instanceof ObjectChangedError ? CHANGED : error.reason;
  return { file: error.key.slice(prefix.length), line: null, field: null, reason };
}
