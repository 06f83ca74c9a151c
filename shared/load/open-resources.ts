import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spill } from './check/spill.ts';
import { type CodingPool, openCodingPool } from './code/coding-pool.ts';
import type { SourceFile } from './source/file-source.ts';

/** What a load may take. */
export interface LoadLimits {
  /** How many problems the report holds; 100 unless given. */
  readonly problems?: number;
  /** Bytes of rows in memory before they go to a temporary file. */
  readonly spillBytes?: number;
  /** Threads that code facts; one per processor, up to 4, unless given. 0 if no threads can be started. */
  readonly threads?: number;
}

/** What a load holds until it ends. */
export interface LoadResources {
  /** A directory of the load's own. */
  readonly temporary: string;
  readonly spill: Spill;
  readonly pool: CodingPool;
  /** Ends the threads and removes the directory. */
  close(): Promise<void>;
}

/** @param files of the folder: few bytes of facts are not worth threads */
export async function openResources(files: readonly SourceFile[], limits: LoadLimits): Promise<LoadResources> {
  const temporary = await mkdtemp(join(tmpdir(), 'endcap-load-'));
  const factBytes = files.reduce((sum, { name, bytes }) => sum + (name.startsWith('facts/') ? bytes : 0), 0);
  const spill = new Spill(temporary, limits.spillBytes);
  const pool = openCodingPool(factBytes, limits.threads);
  return {
    temporary,
    spill,
    pool,
    close: async () => {
      await Promise.all([pool.close(), spill.close()]);
      await rm(temporary, { recursive: true, force: true });
    },
  };
}
