import { rm } from 'node:fs/promises';
import type { Progress } from './check/load-report.ts';
import { openCodingPool } from './encode/coding-pool.ts';
import { Spill } from './encode/spill.ts';
import type { FileSource } from './source/file-source.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

export interface ResourceLimits {
  /** Bytes of rows in memory before they go to a temporary file; default: 128 MiB. */
  readonly spillBytes?: number;
  /** Worker threads that code and encode facts; default: one per processor, at most 4. With 0 or 1, or less than 1 MiB of fact files, the calling thread does. */
  readonly threads?: number;
}

/**
 * Lists the files of one attempt of a load once, and counts what is read from them for the progress.
 * @param onProgress called after each listing file and each section of a fact file, and by `reportCheck`
 * @returns what the attempt holds until its end; close it then. `reportCheck(true)` reports that the check has ended: files that are ignored are never read
 */
export async function openResources(
  source: FileSource,
  limits: ResourceLimits,
  onProgress: (progress: Progress) => void,
) {
  const files = await source.list();
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const factBytes = files.reduce((sum, { name, bytes }) => sum + (name.startsWith('facts/') ? bytes : 0), 0);
  const temporaryDirectory = await makeTemporaryDirectory();
  const spill = new Spill(temporaryDirectory, limits.spillBytes);
  const pool = openCodingPool(factBytes, limits.threads);
  let done = 0;
  let rows = 0;
  const onBytes = (bytes: number) => {
    done += bytes;
  };
  const reportCheck = (isDone = false) =>
    onProgress({ stage: 'check', done: isDone ? total : Math.min(Math.round(done), total), total, rows });
  return {
    source: {
      ...source,
      list: async () => files,
      async *read(name: string) {
        for await (const piece of source.read(name)) {
          onBytes(piece.length);
          yield piece;
        }
      },
    },
    onBytes,
    onRows: (added: number) => {
      rows += added;
      reportCheck();
    },
    reportCheck,
    temporaryDirectory,
    spill,
    pool,
    close: async () => {
      await Promise.all([pool.close(), spill.close()]);
      await rm(temporaryDirectory, { recursive: true, force: true });
    },
  };
}
