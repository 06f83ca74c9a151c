import { createHash } from 'node:crypto';
import { forEachConcurrently } from '../lib/concurrency.ts';
import type { Problem } from '../load/schema/problems.ts';
import { type Bucket, ObjectChangedError, type PinnedObject } from './bucket.ts';
import { type NamedFile, READY_FILE } from './ready-file.ts';

const FILES_AT_ONCE = 4;

/** The files of a folder as they were found to be what `_READY` says. */
export interface VerifiedFiles {
  /** By name below the folder. */
  readonly objects: ReadonlyMap<string, PinnedObject>;
  /** In the order of `_READY`. The folder may be loaded only while there are none. */
  readonly problems: readonly Problem[];
}

/**
 * Reads every named file once, and compares size and SHA-256. Nothing else in the bucket is looked at.
 * @param onBytes called with the bytes read, now and then
 * @throws the signal's reason when it aborts
 */
export async function verifyFiles(
  bucket: Bucket,
  prefix: string,
  files: readonly NamedFile[],
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<VerifiedFiles> {
  const objects = new Map<string, PinnedObject>();
  const reasons = new Map<string, string>();
  await forEachConcurrently(files, FILES_AT_ONCE, async (file) => {
    signal.throwIfAborted();
    const object = await bucket.look(`${prefix}${file.name}`);
    const reason = object === undefined ? 'is not in the bucket' : await compare(object, file);
    if (reason !== undefined) reasons.set(file.name, reason);
    else if (object !== undefined) objects.set(file.name, object);
  });
  const problems = files.flatMap(({ name }) => {
    const reason = reasons.get(name);
    return reason === undefined ? [] : [{ file: name, line: null, field: null, reason }];
  });
  return { objects, problems };

  async function compare(object: PinnedObject, { bytes, sha256 }: NamedFile): Promise<string | undefined> {
    if (object.bytes !== bytes) return `has ${object.bytes} bytes, not the ${bytes} that ${READY_FILE} says`;
    const hash = createHash('sha256');
    try {
      for await (const piece of bucket.read(object)) {
        signal.throwIfAborted();
        hash.update(piece);
        onBytes(piece.length);
      }
    } catch (error) {
      if (error instanceof ObjectChangedError) return CHANGED;
      throw error;
    }
    const found = hash.digest('hex');
    return found === sha256.toLowerCase() ? undefined : `has the SHA-256 ${found}, not that which ${READY_FILE} says`;
  }
}

/** The reason where a file was written again while it was read. */
export const CHANGED = `was written again or deleted while it was read; write ${READY_FILE} last`;
