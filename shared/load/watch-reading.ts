import type { FileSource } from './file-source.ts';
import type { Progress } from './load-report.ts';

/** A source that is watched, and what it does not see itself. */
export interface WatchedReading {
  readonly source: FileSource;
  readonly onRows: (rows: number) => void;
  /** Bytes that another thread has read. */
  readonly onBytes: (bytes: number) => void;
}

/** @returns the source, so that `onProgress` is told how far its reading is. */
export async function watchReading(
  source: FileSource,
  onProgress?: (progress: Progress) => void,
): Promise<WatchedReading> {
  const files = await source.list();
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  let rows = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
  };
  return {
    source: {
      ...source,
      list: async () => files,
      async *read(name, range) {
        for await (const piece of source.read(name, range)) {
          onBytes(piece.length);
          yield piece;
        }
      },
    },
    onBytes,
    onRows: (added) => {
      rows += added;
      onProgress?.({ stage: 'check', done: Math.min(Math.round(done), total), total, rows });
    },
  };
}
