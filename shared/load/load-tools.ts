import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceFile } from './file-source.ts';
import { type LoadPool, openPool } from './load-pool.ts';
import { Spill } from './spill.ts';

/** What a load may take. */
export interface LoadLimits {
  /** How many problems the report holds; 100 unless given. */
  readonly problems?: number;
  /** Bytes of rows held in memory before they go to a temporary file. */
  readonly spillBytes?: number;
  /** Threads that check and encode facts; as many as there are processors, up to 4, unless given. 0 = none, where none may be made. */
  readonly threads?: number;
}

/** What a load works with until it ends. */
export interface LoadTools {
  /** A directory of the load's own. */
  readonly temporary: string;
  readonly spill: Spill;
  readonly pool: LoadPool;
  /** Ends the threads and removes the directory. */
  close(): Promise<void>;
}

export async function openTools(files: readonly SourceFile[], limits: LoadLimits): Promise<LoadTools> {
  const temporary = await mkdtemp(join(tmpdir(), 'endcap-load-'));
  const factBytes = files.reduce((sum, { name, bytes }) => sum + (name.startsWith('facts/') ? bytes : 0), 0);
  const spill = new Spill(temporary, limits.spillBytes);
  const pool = openPool(factBytes, limits.threads);
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
