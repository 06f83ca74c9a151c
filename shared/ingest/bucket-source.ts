import { compareText } from '../lib/compare-text.ts';
import type { FileSource } from '../load/source/file-source.ts';
import type { Bucket, PinnedObject } from './bucket.ts';

/**
 * @param objects whose SHA-256, if any, was verified
 * @param onRead called with the name of a file before it is read
 * @param onError called with the error when an object cannot be read or has changed
 * @returns a source of exactly these objects; other objects of the bucket are ignored
 */
export function bucketSource(
  bucket: Bucket,
  objects: ReadonlyMap<string, PinnedObject>,
  onRead: (name: string) => void,
  onError: (error: unknown) => void,
): FileSource {
  const files = [...objects].map(([name, { bytes, sha256 }]) => ({ name, bytes, sha256 }));
  files.sort((a, b) => compareText(a.name, b.name));
  return {
    list: async () => files,
    async *read(name) {
      const object = objects.get(name);
      if (object === undefined) throw new Error(`${name} is not a file of the folder`);
      onRead(name);
      try {
        yield* bucket.read(object);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}
