import { keepDecoded } from '../../columns/kept-columns.ts';
import type {
  EncodedRollup,
  PartitionRead,
  PartitionRef,
  RollupRead,
  RunColumns,
  RunEntry,
} from '../../layout/partitions.ts';
import type { CacheUse } from '../../lib/log.ts';
import { type CacheBudget, LruCache } from '../../lib/lru-cache.ts';
import { memoryOf } from '../../lib/memory-of.ts';
import { readRuns } from '../facts/read-runs.ts';
import { readRollups, storedColumns } from '../facts/stored-rollups.ts';
import { PACKED, segmentPk } from '../table/item-keys.ts';
import type { Table } from '../table/table.ts';

type Columns = ReadonlyMap<string, Uint8Array>;

/** About how much memory a byte of an encoded column takes, together with what it is decoded to. */
const BYTES_PER_ENCODED = 5;

/**
 * Keeps encoded and decoded columns of facts across reports. Keys contain the number of the load that wrote the columns, under which they are never written
 * again, so an entry is never stale. Whose facts a report may read is decided by its plan.
 */
export class FactCache {
  readonly #columns: LruCache<Uint8Array>;
  readonly #budget: CacheBudget;
  #counts = { hits: 0, misses: 0, evictions: 0 };

  constructor(budget: CacheBudget) {
    this.#budget = budget;
    this.#columns = new LruCache<Uint8Array>({ max: budget, sizeOf: memoryOf });
  }

  /** @returns what has happened since the last call */
  report(): CacheUse {
    const { hits, misses, evictions: before } = this.#counts;
    const { evictions, size } = this.#budget;
    this.#counts = { hits: 0, misses: 0, evictions };
    return { hits, misses, evictions: evictions - before, mb: Math.round(size / 1e6) };
  }

  /** Empties all caches of the budget. */
  empty(): void {
    this.#budget.empty();
  }

  /** @param keys by column @returns the columns; undefined if one of them is not kept */
  find(keys: ReadonlyMap<string, string>): Columns | undefined {
    const found = new Map<string, Uint8Array>();
    for (const [name, key] of keys) {
      const bytes = this.#columns.get(key);
      if (bytes !== undefined) found.set(name, bytes);
    }
    const isWhole = found.size === keys.size;
    this.#counts[isWhole ? 'hits' : 'misses'] += 1;
    return isWhole ? found : undefined;
  }

  has(key: string): boolean {
    return this.#columns.has(key);
  }

  /** @param planned encoded bytes that the report reads @returns the columns as they are kept, unless the report would take more than half of the cache */
  keep(keys: ReadonlyMap<string, string>, columns: Columns, planned: number): Columns {
    if (planned * BYTES_PER_ENCODED > this.#budget.max / 2) return columns;
    const kept = [...columns].map(([name, bytes]) => {
      const own = new Uint8Array(bytes); // a copy, because the bytes may be a small part of an item
      const key = keys.get(name) ?? '';
      this.#columns.set(key, own);
      keepDecoded(own, (size) => this.#columns.grow(key, size));
      return [name, own] as const;
    });
    return new Map(kept);
  }
}

/** What one report reads, from the cache as far as it is kept there. */
export class CachedFacts {
  readonly #cache: FactCache;
  readonly #table: Table;
  /** Of the data in the table, because two tables have loads of the same number. */
  readonly #identity: string;
  #plannedBytes = 0;

  constructor(cache: FactCache, table: Table, identity: string) {
    [this.#cache, this.#table, this.#identity] = [cache, table, identity];
  }

  /** @returns whether all runs of the read, or the rollup, are kept */
  isKept(read: PartitionRead | RollupRead): boolean {
    if (!('runs' in read))
      return this.#rollupKeys(read)
        .values()
        .every((key) => this.#cache.has(key));
    const isStored = (run: RunEntry) => (name: string) => run.columns.has(name);
    return read.runs.every((run) =>
      read.columns.filter(isStored(run)).every((name) => this.#cache.has(this.#runKey(read.ref, run, name))),
    );
  }

  /** Yields the runs that are kept, and then those that are read. */
  async *runs(reads: readonly PartitionRead[]): AsyncGenerator<RunColumns> {
    const missing: PartitionRead[] = [];
    for (const read of reads) {
      const runs: RunEntry[] = [];
      for (const run of read.runs) {
        const keys = this.#runKeys(read, run);
        for (const name of keys.keys()) this.#plannedBytes += run.columns.get(name)?.bytes ?? 0;
        const columns = this.#cache.find(keys);
        if (columns === undefined) runs.push(run);
        else yield { ref: read.ref, run, columns };
      }
      if (runs.length > 0) missing.push({ ...read, runs });
    }
    for await (const { ref, run, columns } of readRuns(this.#table, missing)) {
      const keys = this.#runKeys({ ref, columns: [...columns.keys()] }, run);
      yield { ref, run, columns: this.#cache.keep(keys, columns, this.#plannedBytes) };
    }
  }

  /** Yields the rollups that are kept, and then those that are read. */
  async *rollups<R extends RollupRead>(
    reads: readonly R[],
  ): AsyncGenerator<{ readonly read: R; readonly encoded: EncodedRollup }> {
    const missing: R[] = [];
    for (const read of reads) {
      for (const { bytes } of storedColumns(read)) this.#plannedBytes += bytes;
      const columns = this.#cache.find(this.#rollupKeys(read));
      if (columns === undefined) missing.push(read);
      else yield { read, encoded: encodedOf(columns) };
    }
    for await (const { read, encoded } of readRollups(this.#table, missing)) {
      const columns = new Map([[PACKED, encoded.packed], ...encoded.columns]);
      yield { read, encoded: encodedOf(this.#cache.keep(this.#rollupKeys(read), columns, this.#plannedBytes)) };
    }
  }

  #runKeys({ ref, columns }: Pick<PartitionRead, 'ref' | 'columns'>, run: RunEntry): ReadonlyMap<string, string> {
    const stored = columns.filter((name) => run.columns.has(name));
    return new Map(stored.map((name) => [name, this.#runKey(ref, run, name)]));
  }

  #runKey(ref: PartitionRef, { day, version }: RunEntry, column: string): string {
    return `${this.#identity}/${segmentPk(ref, column)}/${day}/${version}`;
  }

  #rollupKeys(read: RollupRead): ReadonlyMap<string, string> {
    const stored = storedColumns(read);
    return new Map(stored.map(({ column, pk }) => [column, `${this.#identity}/${pk}/${read.entry.version}`]));
  }
}

function encodedOf(columns: Columns): EncodedRollup {
  const separate = new Map(columns);
  separate.delete(PACKED);
  return { packed: columns.get(PACKED) ?? new Uint8Array(0), columns: separate };
}
