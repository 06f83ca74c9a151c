import { compareText } from '../lib/compare-text.ts';
import type { FileSource } from '../load/source/file-source.ts';
import type { Bucket, PinnedObject } from './bucket.ts';

/**
 * @param onError called with the error when an object cannot be read or has changed
 * @returns a source of exactly these objects; other objects of the bucket are ignored
 */
export function bucketSource(
  bucket: Bucket,
  objects: ReadonlyMap<string, PinnedObject>,
  onError: (error: unknown) => void,
): FileSource {
  const files = [...objects].map(([name, { bytes }]) => ({ name, bytes }));
  files.sort((a, b) => compareText(a.name, b.name));
  return {
    list: async () => files,
    async *read(name) {
      const object = objects.get(name);
      if (object === undefined) throw new Error(`${name} is not a file of the folder`);
      try {
        yield* bucket.read(object);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}
