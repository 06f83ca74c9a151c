import { createHash } from 'node:crypto';
import type { DayEntry, PartitionRef, RollupRef } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { visibleVersion } from '../commit/versions.ts';
import { writeHeads } from '../commit/write-heads.ts';
import { countChunks, joinChunks, splitChunks } from '../table/chunks.ts';
import type { Item } from '../table/item.ts';
import { type Key, manifestKey, PACKED, segmentKey, segmentPk } from '../table/keys.ts';
import { segmentItem } from '../table/segments.ts';
import { compress } from '../table/zstd.ts';
import type { ChangedPartition } from './fact-heads.ts';
import { decodeManifest, encodeManifest, HASH_BYTES, type StoredDay } from './manifest-codec.ts';
import { parseManifest } from './manifests.ts';
import { type RollupData, type StoredRollup, writeRollup } from './rollups.ts';
import { writeFactHeads } from './write-fact-heads.ts';

/** Days whose columns compress to at most this size together are stored in one item. */
const MAX_PACKED_BYTES = 8 * 1024;
/** Days whose columns are larger than this together are not considered for packing. */
const MAX_UNPACKED_BYTES = 2 * MAX_PACKED_BYTES;

/** The encoded columns of one day of a partition; 0 rows if the day is empty. */
export interface FactDay {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly distinct: number }>;
}

/** The changes of a partition whose manifest is not written yet. */
interface Draft {
  readonly ref: PartitionRef;
  readonly stored: Item | undefined;
  /**
   * For each changed day a manifest with only that day, or without days if it is now empty. Encoded manifests take little memory, and a load may
   * change a million days.
   */
  readonly days: Map<number, Uint8Array>;
}

/** Writes the facts of one load. What it writes becomes visible when `finish` was called and the load is committed. */
export class FactWriter {
  readonly #writer: CommitWriter;
  readonly #drafts = new Map<string, Promise<Draft>>();
  #rollups: StoredRollup[] = [];

  constructor(writer: CommitWriter) {
    this.#writer = writer;
  }

  /**
   * Replaces one day of the partition. An unchanged day is not written. Call this at most once per day and load.
   * @param day of the month, 1–31
   * @returns whether the day has changed
   */
  async writeDay(ref: PartitionRef, day: number, encoded: FactDay): Promise<'unchanged' | 'written'> {
    const sorted = sortColumns(encoded);
    const draft = await this.#openDraft(ref);
    const before = this.#storedDays(draft).find((stored) => stored.day === day);
    if (draft.days.has(day) || before?.version === this.#writer.n) {
      throw new Error(`${manifestKey(ref).pk} day ${day} is written twice in one load`);
    }
    const hash = hashOf(sorted);
    if (before === undefined ? sorted.rows === 0 : Buffer.compare(before.hash, hash) === 0) return 'unchanged';
    if (sorted.rows === 0) {
      draft.days.set(day, encodeManifest([]));
      return 'written';
    }
    const packed = pack(sorted);
    const entry: StoredDay = {
      day,
      version: this.#writer.n,
      rows: sorted.rows,
      inOneItem: packed !== undefined,
      columns: describeColumns(sorted, packed !== undefined),
      hash,
    };
    draft.days.set(day, encodeManifest([entry]));
    await this.#writer.putItems(segmentsOf(ref, entry, sorted, packed));
    return 'written';
  }

  /** @returns the days of the partition as they are after all calls of `writeDay` */
  async daysOf(ref: PartitionRef): Promise<readonly DayEntry[]> {
    return this.#daysAfter(await this.#openDraft(ref));
  }

  /**
   * Replaces the cubes of a month. If a load changes facts of a month without writing its cubes, the month no longer has any. Call this at most
   * once per month and load.
   */
  async writeRollup(ref: RollupRef, rollup: RollupData): Promise<void> {
    this.#rollups.push(await writeRollup(this.#writer, ref, rollup));
  }

  /**
   * Writes the manifests and fact heads of everything that has changed since the last call, and the platform's latest delivery day.
   * @param advertiserIds all advertisers that may have facts
   */
  async finish(advertiserIds: Iterable<number>): Promise<void> {
    const drafts = await Promise.all(this.#drafts.values());
    const rollups = this.#rollups;
    this.#drafts.clear();
    this.#rollups = [];
    const partitions: ChangedPartition[] = [];
    for (const draft of drafts) {
      if (draft.days.size > 0) partitions.push(await this.#writeManifest(draft));
    }
    await this.#writer.flush();
    await writeFactHeads(this.#writer, { partitions, rollups }, advertiserIds);
    await this.#writer.flush();
  }

  #openDraft(ref: PartitionRef): Promise<Draft> {
    const key = manifestKey(ref);
    const open = this.#drafts.get(key.pk);
    if (open !== undefined) return open;
    const opening = this.#writer.table
      .get(key, { consistent: true })
      .then((stored): Draft => ({ ref, stored, days: new Map() }));
    this.#drafts.set(key.pk, opening);
    return opening;
  }

  #storedDays({ ref, stored }: Draft): StoredDay[] {
    return parseManifest(visibleVersion(stored, this.#writer.state), manifestKey(ref).pk);
  }

  #daysAfter(draft: Draft): StoredDay[] {
    const written = [...draft.days.values()].flatMap((bytes) => decodeManifest(bytes, manifestKey(draft.ref).pk));
    const others = this.#storedDays(draft).filter(({ day }) => !draft.days.has(day));
    return [...others, ...written].sort((a, b) => a.day - b.day);
  }

  async #writeManifest(draft: Draft): Promise<ChangedPartition> {
    const { ref, stored } = draft;
    const key = manifestKey(ref);
    const replaced = this.#storedDays(draft).filter(({ day }) => draft.days.has(day));
    await this.#writer.supersede(
      replaced.flatMap((entry) => segmentKeys(ref, entry)),
      'readers',
    );
    const after = this.#daysAfter(draft);
    const value = after.length === 0 ? null : encodeManifest(after);
    await writeHeads(this.#writer, [{ key, stored, value, retention: 'readers' }]);
    return { ref, lastDay: after.at(-1)?.day };
  }
}

/** The manifest lists columns by name; the columns of a packed day are in the same order. */
function sortColumns({ rows, columns }: FactDay): FactDay {
  return { rows, columns: new Map([...columns].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function describeColumns({ columns }: FactDay, inOneItem: boolean): StoredDay['columns'] {
  return new Map(
    [...columns].map(([name, { bytes, distinct }]) => [
      name,
      { chunks: inOneItem ? 0 : countChunks(bytes.length), bytes: bytes.length, distinct },
    ]),
  );
}

function segmentsOf(ref: PartitionRef, entry: StoredDay, encoded: FactDay, packed: Uint8Array | undefined): Item[] {
  const item = (column: string, bytes: Uint8Array, chunk: number) =>
    segmentItem(segmentKey(segmentPk(ref, column), entry.day, entry.version, chunk), bytes);
  if (packed !== undefined) return [item(PACKED, packed, 0)];
  return [...encoded.columns].flatMap(([name, { bytes }]) =>
    splitChunks(bytes).map((content, chunk) => item(name, content, chunk)),
  );
}

/** @returns the concatenated columns, compressed; undefined if they are too large to be packed */
function pack(encoded: FactDay): Uint8Array | undefined {
  const columns = [...encoded.columns.values()].map(({ bytes }) => bytes);
  if (columns.reduce((sum, { length }) => sum + length, 0) > MAX_UNPACKED_BYTES) return undefined;
  const packed = compress(joinChunks(columns));
  return packed.length <= MAX_PACKED_BYTES ? packed : undefined;
}

function segmentKeys(ref: PartitionRef, entry: StoredDay): Key[] {
  if (entry.inOneItem) return [segmentKey(segmentPk(ref, PACKED), entry.day, entry.version, 0)];
  return [...entry.columns].flatMap(([name, { chunks }]) =>
    Array.from({ length: chunks }, (_, chunk) => segmentKey(segmentPk(ref, name), entry.day, entry.version, chunk)),
  );
}

function hashOf(encoded: FactDay): Uint8Array {
  const hash = createHash('sha256').update(`${encoded.rows}\n`);
  for (const [name, { bytes, distinct }] of encoded.columns)
    hash.update(`${name} ${distinct} ${bytes.length}\n`).update(bytes);
  return new Uint8Array(hash.digest().subarray(0, HASH_BYTES));
}
