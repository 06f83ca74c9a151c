import { rm } from 'node:fs/promises';
import type { Progress } from './check/load-report.ts';
import type { FactReading } from './check/read-facts.ts';
import { Spill } from './check/spill.ts';
import { openCodingPool } from './code/coding-pool.ts';
import type { FileSource } from './source/file-source.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

/** Limits of a load. */
export interface LoadLimits {
  /** How many problems the report holds; 100 unless given. */
  readonly problems?: number;
  /** Bytes of rows in memory before they go to a temporary file; default: 128 MiB. */
  readonly spillBytes?: number;
  /**
   * Worker threads that code and encode facts; default: one per processor, at most 4. With 0 or 1, or less than 1 MiB of fact files, the calling thread does.
   */
  readonly threads?: number;
}

/** What one attempt of a load holds until it ends. Files are listed once, and what is read from them is counted for the progress. */
export interface LoadResources extends Omit<FactReading, 'problems' | 'factWarnings' | 'signal' | 'columns'> {
  /** Reports the progress of the check; with `isDone`, that it has ended: files that are ignored are never read. */
  reportCheck(isDone?: boolean): void;
  /** Ends the threads and removes the directory. */
  close(): Promise<void>;
}

/**
 * @param onProgress called after each listing file and each section of a fact file, and by `reportCheck`
 * @returns the resources of one attempt of a load; close them at its end
 */
export async function openResources(
  source: FileSource,
  limits: LoadLimits,
  onProgress: (progress: Progress) => void,
): Promise<LoadResources> {
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
