import type { DayEntry, EncodedDay, EncodedRollup, PartitionRef } from '../../catalog/partitions.ts';
import { readDays } from '../facts/read-days.ts';
import { type RolledUp, readRollups } from '../facts/rollups.ts';
import type { Table } from '../table/client.ts';

/** What two years of a market by day, placement, banner and keyword may take. */
const MAX_BYTES = 64_000_000;

/**
 * Market's segments, kept by an instance from report to report: everybody's share of voice reads the same ones. They are kept by the load that wrote them, and
 * are never written again under its number, so none is ever stale.
 */
export class MarketCache {
  readonly #columns = new Map<string, Uint8Array>();
  readonly #rollups = new Map<string, EncodedRollup>();
  #bytes = 0;

  /** Like `readDays`; reads only days of which a column is not kept. */
  async *days(
    table: Table,
    ref: PartitionRef,
    days: readonly DayEntry[],
    columns: readonly string[],
  ): AsyncGenerator<EncodedDay> {
    const keyOf = (day: DayEntry, column: string) =>
      `${ref.experience}/${ref.month}/${day.day}/${day.version}/${column}`;
    const wantedOf = (day: DayEntry) => columns.filter((column) => day.columns.has(column));
    const missing = days.filter((day) => wantedOf(day).some((column) => !this.#columns.has(keyOf(day, column))));
    const read = new Map<DayEntry, EncodedDay>();
    for await (const day of readDays(table, ref, missing, columns)) read.set(day.entry, day);
    for (const day of days) {
      const found = new Map(read.get(day)?.columns);
      for (const column of wantedOf(day)) {
        const kept = this.#columns.get(keyOf(day, column));
        if (kept !== undefined) found.set(column, kept);
      }
      yield { entry: day, columns: found };
    }
    for (const [day, { columns: found }] of read) {
      for (const [column, bytes] of found) this.#keep(this.#columns, keyOf(day, column), bytes, bytes.length);
    }
  }

  /** Like `readRollups` of rollups without users; reads only those that are not kept. */
  async *rollups(table: Table, rollups: readonly RolledUp[]): AsyncGenerator<EncodedRollup> {
    const keyOf = ({ ref, entry }: RolledUp) => `${ref.experience}/${ref.month}/${entry.version}`;
    const missing: RolledUp[] = [];
    for (const rollup of rollups) {
      const kept = this.#rollups.get(keyOf(rollup));
      if (kept === undefined) missing.push(rollup);
      else yield kept;
    }
    const entries = new Map(missing.map((rollup) => [rollup.ref, rollup]));
    for await (const read of readRollups(table, missing, [])) {
      const rollup = entries.get(read.ref);
      if (rollup !== undefined) this.#keep(this.#rollups, keyOf(rollup), read, read.packed.length);
      yield read;
    }
  }

  /** When it is full, all is forgotten: what is still asked for is read once more. */
  #keep<Value>(kept: Map<string, Value>, key: string, value: Value, bytes: number): void {
    if (this.#bytes + bytes > MAX_BYTES) {
      this.#columns.clear();
      this.#rollups.clear();
      this.#bytes = 0;
    }
    if (!kept.has(key)) this.#bytes += bytes;
    kept.set(key, value);
  }
}
