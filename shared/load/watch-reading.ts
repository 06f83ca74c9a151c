import type { FileSource } from './file-source.ts';
import type { Progress } from './load-report.ts';

/** @returns the source, and what to call with the rows read, so that `onProgress` is told how far the reading is. */
export async function watchReading(
  source: FileSource,
  onProgress?: (progress: Progress) => void,
): Promise<{ source: FileSource; onRows: (rows: number) => void }> {
  const files = await source.list();
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  let rows = 0;
  const tell = () => onProgress?.({ stage: 'check', done: Math.min(done, total), total, rows });
  return {
    source: {
      list: async () => files,
      async *read(name, range) {
        for await (const piece of source.read(name, range)) {
          done += piece.length;
          yield piece;
        }
      },
    },
    onRows: (added) => {
      rows += added;
      tell();
    },
  };
}
