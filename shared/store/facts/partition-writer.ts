import { createHash } from 'node:crypto';
import type { DayColumns, PartitionRef } from '../../catalog/partitions.ts';
import type { EncodedColumn, EncodedRows } from '../../columns/build-day.ts';
import { HEADER_BYTES } from '../../columns/frame.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { visibleVersion } from '../commit/versions.ts';
import { writeHeads } from '../commit/write-heads.ts';
import { chunkItem } from '../table/chunk-items.ts';
import { countChunks, joinChunks, splitChunks } from '../table/chunks.ts';
import { compress } from '../table/compress.ts';
import type { Item } from '../table/item.ts';
import { type Key, manifestKey, monthItemKey, PACKED, segmentKey, segmentPk } from '../table/item-keys.ts';
import type { ChangedPartition } from './loaded-days.ts';
import { bytesOfDay, encodeManifest, HASH_BYTES, type StoredDay } from './manifest-codec.ts';
import { parseManifest } from './manifests.ts';
import { readDays } from './read-days.ts';

/**
 * Days are stored in one item per month if the payloads of all their columns together take at most this size. A load of one day rewrites the item; reports
 * read the items of many months in one `BatchGetItem` call. Figures: shared/README.md, Small days and small months are one item.
 */
const MAX_MONTH_BYTES = 64 * 1024;
/** Days whose columns compress to at most this size together are stored in one item. */
const MAX_PACKED_BYTES = 8 * 1024;
/** Days whose columns are larger than this together are not considered for packing. */
const MAX_UNPACKED_BYTES = 2 * MAX_PACKED_BYTES;

/** A day to be written: its manifest entry, and its columns in the order of the entry. */
interface DayToWrite {
  readonly entry: StoredDay;
  readonly columns: readonly Uint8Array[];
}

/** Writes the days of one partition, and its manifest. It holds only days that may become part of the item of the month. */
export class PartitionWriter {
  readonly #writer: CommitWriter;
  readonly #ref: PartitionRef;
  readonly #head: Item | undefined;
  readonly #before: readonly StoredDay[];
  readonly #after: Map<number, StoredDay>;
  readonly #changed = new Set<number>();
  #changedBytes = 0;
  #held: DayToWrite[] = [];

  /** @param head the manifest's head before the load; undefined if the partition is new */
  constructor(writer: CommitWriter, ref: PartitionRef, head: Item | undefined) {
    this.#writer = writer;
    this.#ref = ref;
    this.#head = head;
    this.#before = parseManifest(visibleVersion(head, writer.state), manifestKey(ref).pk);
    this.#after = new Map(this.#before.map((entry) => [entry.day, entry]));
  }

  /** @returns the days after the calls of `writeDay` so far. `version`, `isPacked`, `chunks` and `monthOffset` are final after `close`. */
  get days(): readonly StoredDay[] {
    return [...this.#after.values()].sort((a, b) => a.day - b.day);
  }

  /**
   * @param encoded 0 rows if the day is empty
   * @returns 'unchanged' if the stored day has the same content, else 'written'
   * @throws Error if the day was written before in this load
   */
  async writeDay(day: number, encoded: EncodedRows): Promise<'unchanged' | 'written'> {
    if (this.#changed.has(day)) throw new Error(`${manifestKey(this.#ref).pk} day ${day} is written twice in one load`);
    const before = this.#after.get(day);
    const columns = [...encoded.columns].sort(([a], [b]) => (a < b ? -1 : 1)); // the order of the manifest
    const hash = hashOf(encoded.rows, columns);
    if (before === undefined ? encoded.rows === 0 : Buffer.compare(before.hash, hash) === 0) return 'unchanged';
    this.#changed.add(day);
    this.#after.delete(day);
    if (encoded.rows === 0) return 'written';
    const sizes = columns.map(
      ([name, { bytes, distinct }]) => [name, { bytes: bytes.length, distinct, chunks: 0 }] as const,
    );
    const { rows } = encoded;
    const entry = { day, version: this.#writer.n, rows, isPacked: true, columns: new Map(sizes), hash };
    this.#after.set(day, entry);
    // how it is stored is decided later: `#writeMonth` or `#writeDays` replaces the entry
    this.#held.push({ entry, columns: columns.map(([, { bytes }]) => bytes) });
    this.#changedBytes += payloadBytes(entry);
    if (this.#changedBytes > MAX_MONTH_BYTES) await this.#writeDays(this.#held.splice(0));
    return 'written';
  }

  /**
   * Writes the days that are held, and the manifest. If the month is or was one item, unchanged days are written again as well.
   * @returns undefined if no day has changed
   */
  async close(): Promise<ChangedPartition | undefined> {
    if (this.#changed.size === 0) return undefined;
    const wasOneItem = this.#before.some(({ monthOffset }) => monthOffset !== undefined);
    const isOneItem = isSmallMonth(this.days);
    const isRewritten = ({ day }: StoredDay) => wasOneItem || isOneItem || this.#changed.has(day);
    const unchanged = this.#before.filter(({ day }) => !this.#changed.has(day));
    const rewritten = await this.#readStored(unchanged.filter(isRewritten));
    const days = [...this.#held.splice(0), ...rewritten];
    if (isOneItem) await this.#writeMonth(days);
    else await this.#writeDays(days);
    const replaced = this.#before.filter(isRewritten).flatMap((entry) => itemKeys(this.#ref, entry));
    const distinct = new Map(replaced.map((key) => [`${key.pk} ${key.sk}`, key])); // days of one item have the same key
    await this.#writer.supersede([...distinct.values()], 'readers');
    const value = this.#after.size === 0 ? null : encodeManifest(this.days);
    const head = { key: manifestKey(this.#ref), stored: this.#head, value, retention: 'readers' } as const;
    await writeHeads(this.#writer, [head]);
    const daysOf = (entries: readonly StoredDay[]) => entries.map(({ day }) => day);
    return { ref: this.#ref, before: daysOf(this.#before), after: daysOf(this.days) };
  }

  /** @returns stored days with all their columns */
  async #readStored(entries: readonly StoredDay[]): Promise<DayToWrite[]> {
    if (entries.length === 0) return [];
    const names = new Set(entries.flatMap(({ columns }) => [...columns.keys()]));
    const read = new Map<number, DayColumns['columns']>();
    const stored = { ref: this.#ref, days: entries, columns: [...names] };
    for await (const { entry, columns } of readDays(this.#writer.table, [stored])) {
      read.set(entry.day, columns);
    }
    return entries.map((entry) => ({
      entry,
      columns: [...entry.columns.keys()].map((name) => {
        const bytes = read.get(entry.day)?.get(name);
        if (bytes === undefined) throw new Error(`${segmentPk(this.#ref, name)} lacks day ${entry.day}`);
        return bytes;
      }),
    }));
  }

  /** Writes all days of the month as one item. */
  async #writeMonth(days: readonly DayToWrite[]): Promise<void> {
    const sorted = days.toSorted((a, b) => a.entry.day - b.entry.day);
    let monthOffset = 0;
    for (const { entry } of sorted) {
      this.#after.set(entry.day, { ...this.#entryOf(entry, true), monthOffset });
      monthOffset += bytesOfDay(entry);
    }
    const bytes = compress(joinChunks(sorted.flatMap(({ columns }) => columns)));
    await this.#writer.putItems([chunkItem(monthItemKey(this.#ref, this.#writer.n), bytes)]);
  }

  /** Writes each day as one item, or a larger day as items of each column. */
  async #writeDays(days: readonly DayToWrite[]): Promise<void> {
    for (const { entry, columns } of days) {
      const packed = pack(columns);
      const written = this.#entryOf(entry, packed !== undefined);
      this.#after.set(entry.day, written);
      const names = packed === undefined ? [...written.columns.keys()] : [PACKED];
      const contents = packed === undefined ? columns.map(splitChunks) : [[packed]];
      const items = names.flatMap((name, column) =>
        (contents[column] ?? []).map((bytes, chunk) =>
          chunkItem(segmentKey(segmentPk(this.#ref, name), entry.day, written.version, chunk), bytes),
        ),
      );
      await this.#writer.putItems(items);
    }
  }

  /** @returns the entry of a day that this load writes, without its offset in the item of the month */
  #entryOf({ day, rows, hash, columns }: StoredDay, isPacked: boolean): StoredDay {
    const sizes = [...columns].map(([name, { bytes, distinct }]) => {
      return [name, { bytes, distinct, chunks: isPacked ? 0 : countChunks(bytes) }] as const;
    });
    return { day, version: this.#writer.n, rows, isPacked, columns: new Map(sizes), hash };
  }
}

/** Whether the days of a month are stored in one item. */
function isSmallMonth(days: readonly StoredDay[]): boolean {
  return days.length > 0 && days.reduce((sum, day) => sum + payloadBytes(day), 0) <= MAX_MONTH_BYTES;
}

/** @returns the size of the day without the headers of its columns, which compress to almost nothing */
function payloadBytes({ columns }: StoredDay): number {
  let payload = 0;
  for (const { bytes } of columns.values()) payload += Math.max(0, bytes - HEADER_BYTES);
  return payload;
}

/** @returns the concatenated columns, compressed; undefined if they are too large to be packed */
function pack(columns: readonly Uint8Array[]): Uint8Array | undefined {
  if (columns.reduce((sum, { length }) => sum + length, 0) > MAX_UNPACKED_BYTES) return undefined;
  const packed = compress(joinChunks(columns));
  return packed.length <= MAX_PACKED_BYTES ? packed : undefined;
}

/** @returns the keys of the items that have the day */
function itemKeys(ref: PartitionRef, { day, version, isPacked, monthOffset, columns }: StoredDay): Key[] {
  if (monthOffset !== undefined) return [monthItemKey(ref, version)];
  if (isPacked) return [segmentKey(segmentPk(ref, PACKED), day, version, 0)];
  return [...columns].flatMap(([name, { chunks }]) =>
    Array.from({ length: chunks }, (_, chunk) => segmentKey(segmentPk(ref, name), day, version, chunk)),
  );
}

function hashOf(rows: number, columns: readonly (readonly [string, EncodedColumn])[]): Uint8Array {
  const hash = createHash('sha256').update(`${rows}\n`);
  for (const [name, { bytes, distinct }] of columns) hash.update(`${name} ${distinct} ${bytes.length}\n`).update(bytes);
  return new Uint8Array(hash.digest().subarray(0, HASH_BYTES));
}
