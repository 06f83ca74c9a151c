import type { Progress } from './load-report.ts';
import type { FileSource } from './source/file-source.ts';

/** A source whose reading is tracked, and what it cannot see itself. */
export interface TrackedReading {
  readonly source: FileSource;
  /** Called with the number of rows as they are read. */
  readonly onRows: (rows: number) => void;
  /** Called with bytes of files that are read from disk without the source. */
  readonly onBytes: (bytes: number) => void;
}

/** @returns the source with its reading tracked: `onProgress` is called whenever rows were read. */
export async function trackProgress(
  source: FileSource,
  onProgress: (progress: Progress) => void,
): Promise<TrackedReading> {
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
      async *read(name) {
        for await (const piece of source.read(name)) {
          onBytes(piece.length);
          yield piece;
        }
      },
    },
    onBytes,
    onRows: (added) => {
      rows += added;
      onProgress({ stage: 'check', done: Math.min(Math.round(done), total), total, rows });
    },
  };
}
