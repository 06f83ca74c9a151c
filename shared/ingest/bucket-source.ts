import { compareText } from '../lib/compare-text.ts';
import type { FileSource } from '../load/source/file-source.ts';
import type { Bucket, PinnedObject } from './bucket.ts';

/**
 * @param onFailure called with what is thrown where an object cannot be read, or is another one meanwhile
 * @returns exactly these objects as a folder's files: whatever the bucket holds beside them is not seen
 */
export function bucketSource(
  bucket: Bucket,
  objects: ReadonlyMap<string, PinnedObject>,
  onFailure: (error: unknown) => void,
): FileSource {
  const files = [...objects].map(([name, { bytes }]) => ({ name, bytes }));
  files.sort((a, b) => compareText(a.name, b.name));
  return {
    list: async () => files,
    async *read(name, range) {
      const object = objects.get(name);
      if (object === undefined) throw new Error(`${name} is not one of the folder's files`);
      try {
        yield* bucket.read(object, range);
      } catch (error) {
        onFailure(error);
        throw error;
      }
    },
  };
}
