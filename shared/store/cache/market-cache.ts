import type { DayColumns, DayEntry, PartitionRead, PartitionRef } from '../../catalog/partitions.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { LARGE_CACHE_BYTES, OBJECT_BYTES } from '../commit/commit-cache.ts';
import { readDays } from '../facts/read-days.ts';
import type { Table } from '../table/table.ts';

/**
 * Caches the columns of the market's days across reports, because every report with share_of_voice reads the same ones. Keys contain the commit number of
 * the day, under which it is never written again, so an entry is never stale.
 */
export class MarketCache {
  readonly #columns = new LruCache<Uint8Array>({
    max: LARGE_CACHE_BYTES,
    sizeOf: (bytes) => bytes.length + OBJECT_BYTES,
  });

  /** Yields the cached days, and then reads days that lack a column. */
  async *days(table: Table, reads: readonly PartitionRead[]): AsyncGenerator<DayColumns> {
    const toRead: PartitionRead[] = [];
    for (const read of reads) {
      const missing: DayEntry[] = [];
      for (const entry of read.days) {
        const columns = this.#get(read, entry);
        if (columns === undefined) missing.push(entry);
        else yield { ref: read.ref, entry, columns };
      }
      if (missing.length > 0) toRead.push({ ...read, days: missing });
    }
    for await (const day of readDays(table, toRead)) {
      // a copy, because the bytes may be a small part of a month
      for (const [column, bytes] of day.columns)
        this.#columns.set(keyOf(day.ref, day.entry, column), new Uint8Array(bytes));
      yield day;
    }
  }

  /** @returns the columns of the day; undefined if one of them is not cached */
  #get({ ref, columns }: PartitionRead, entry: DayEntry): Map<string, Uint8Array> | undefined {
    const found = new Map<string, Uint8Array>();
    for (const column of columns) {
      if (!entry.columns.has(column)) continue;
      const bytes = this.#columns.get(keyOf(ref, entry, column));
      if (bytes === undefined) return undefined;
      found.set(column, bytes);
    }
    return found;
  }
}

function keyOf({ experience, month }: PartitionRef, { day, version }: DayEntry, column: string): string {
  return `${experience}/${month}/${day}/${version}/${column}`;
}
