import type { DayColumns, DayEntry, PartitionRef } from '../../catalog/partitions.ts';
import { LruCache } from '../../lib/lru-cache.ts';
import { readDays } from '../facts/read-days.ts';
import type { Table } from '../table/client.ts';

/** Enough for two years of a market by day, placement, banner and keyword. */
const MAX_BYTES = 64_000_000;

/**
 * Caches the columns of the market's days across reports, because every report with share_of_voice reads the same ones. Keys contain the commit number of
 * the day, under which it is never written again, so an entry is never stale.
 */
export class MarketCache {
  readonly #columns: LruCache<Uint8Array>;

  constructor(maxBytes = MAX_BYTES) {
    this.#columns = new LruCache({ max: maxBytes, sizeOf: (bytes) => bytes.length });
  }

  /** Like `readDays`, but reads only days of which a column is not cached. */
  async *days(
    table: Table,
    ref: PartitionRef,
    days: readonly DayEntry[],
    columns: readonly string[],
  ): AsyncGenerator<DayColumns> {
    const keyOf = (day: DayEntry, column: string) =>
      `${ref.experience}/${ref.month}/${day.day}/${day.version}/${column}`;
    const found = new Map<DayEntry, DayColumns>();
    for (const entry of days) {
      const stored = columns.filter((column) => entry.columns.has(column));
      const cached = stored.flatMap((column) => {
        const bytes = this.#columns.get(keyOf(entry, column));
        return bytes === undefined ? [] : [[column, bytes] as const];
      });
      if (cached.length === stored.length) found.set(entry, { entry, columns: new Map(cached) });
    }
    const toRead = days.filter((day) => !found.has(day));
    for await (const day of readDays(table, ref, toRead, columns)) {
      found.set(day.entry, day);
      for (const [column, bytes] of day.columns) this.#columns.set(keyOf(day.entry, column), bytes);
    }
    for (const entry of days) {
      const day = found.get(entry);
      if (day !== undefined) yield day;
    }
  }
}
