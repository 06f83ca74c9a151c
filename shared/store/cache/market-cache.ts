import type { PartitionRead, PartitionRef, RunColumns, RunEntry } from '../../catalog/partitions.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { LARGE_CACHE_BYTES, OBJECT_BYTES } from '../commit/commit-cache.ts';
import { readRuns } from '../facts/read-runs.ts';
import type { Table } from '../table/table.ts';

/**
 * Caches the columns of the market's runs across reports, because every report with share_of_voice reads the same ones. Keys contain the commit number of
 * the run, under which it is never written again, so an entry is never stale.
 */
export class MarketCache {
  readonly #columns = new LruCache<Uint8Array>({
    max: LARGE_CACHE_BYTES,
    sizeOf: (bytes) => bytes.length + OBJECT_BYTES,
  });

  /** Yields the cached runs, and then reads runs that lack a column. */
  async *runs(table: Table, reads: readonly PartitionRead[]): AsyncGenerator<RunColumns> {
    const toRead: PartitionRead[] = [];
    for (const read of reads) {
      const missing: RunEntry[] = [];
      for (const run of read.runs) {
        const columns = this.#get(read, run);
        if (columns === undefined) missing.push(run);
        else yield { ref: read.ref, run, columns };
      }
      if (missing.length > 0) toRead.push({ ...read, runs: missing });
    }
    for await (const read of readRuns(table, toRead)) {
      // a copy, because the bytes may be a small part of an item
      for (const [column, bytes] of read.columns)
        this.#columns.set(keyOf(read.ref, read.run, column), new Uint8Array(bytes));
      yield read;
    }
  }

  /** @returns the columns of the run; undefined if one of them is not cached */
  #get({ ref, columns }: PartitionRead, run: RunEntry): Map<string, Uint8Array> | undefined {
    const found = new Map<string, Uint8Array>();
    for (const column of columns) {
      if (!run.columns.has(column)) continue;
      const bytes = this.#columns.get(keyOf(ref, run, column));
      if (bytes === undefined) return undefined;
      found.set(column, bytes);
    }
    return found;
  }
}

function keyOf({ experience, month }: PartitionRef, { day, version }: RunEntry, column: string): string {
  return `${experience}/${month}/${day}/${version}/${column}`;
}
