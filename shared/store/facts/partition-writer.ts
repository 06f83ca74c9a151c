import { columnHasValues, hasMeaning } from '../../catalog/rules.ts';
import { DAY_COLUMNS, isDerived, keyIn, measuresOf, TABLE_KEYS } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import {
  type BuiltDay,
  decodeDays,
  type EncodedRun,
  encodeRun,
  fitsRun,
  joinDays,
  namesOf,
  packOf,
} from '../../columns/runs.ts';
import type { ColumnEntry, DayList, PartitionRef } from '../../layout/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { visibleVersion } from '../commit/versions.ts';
import { writeHeads } from '../commit/write-heads.ts';
import { chunkItem } from '../table/chunk-items.ts';
import { countChunks, joinChunks, splitChunks } from '../table/chunks.ts';
import { compress } from '../table/compress.ts';
import type { Item } from '../table/item.ts';
import { type Key, manifestKey, packPk, segmentKey, segmentPk } from '../table/item-keys.ts';
import type { ChangedPartition } from './loaded-days.ts';
import { encodeManifest, type StoredDay, type StoredRun } from './manifest-codec.ts';
import { parseManifest } from './manifests.ts';
import { readRuns } from './read-runs.ts';

/** Days that are one run after the load. */
interface DraftRun {
  readonly days: StoredDay[];
  /** See `namesOf`. */
  readonly names: string;
  /** The run that has exactly these days, unless it is to be written. */
  stored: StoredRun | undefined;
}

/** Writes the runs of one partition, and its manifest. It holds only days that may be joined with others. */
export class PartitionWriter {
  readonly #writer: CommitWriter;
  readonly #ref: PartitionRef;
  readonly #head: Item | undefined;
  readonly #before: readonly StoredRun[];
  readonly #hashes: ReadonlyMap<number, Uint8Array>;
  /** The days that the load has changed; undefined for those that have no rows any more. */
  readonly #changed = new Map<number, DraftRun | undefined>();
  /** The rows of changed days that are not written yet. */
  readonly #held = new Map<number, FactRows>();
  readonly #lists = new Map<number, DayList | undefined>();

  /** @param head the manifest's head before the load; undefined if the partition is new */
  constructor(writer: CommitWriter, ref: PartitionRef, head: Item | undefined) {
    this.#writer = writer;
    this.#ref = ref;
    this.#head = head;
    this.#before = parseManifest(visibleVersion(head, writer.state), manifestKey(ref).pk);
    this.#hashes = new Map(this.#before.flatMap(({ days }) => days.map(({ day, hash }) => [day, hash] as const)));
  }

  /** @returns the runs before the load */
  get runs(): readonly StoredRun[] {
    return this.#before;
  }

  /**
   * @returns 'unchanged' if the stored day has the same content, else 'written'
   * @throws Error if the day was written before in this load
   */
  async writeDay(day: number, built: BuiltDay): Promise<'unchanged' | 'written'> {
    const { rows, hours, size, names, hash, content } = built;
    if (this.#changed.has(day)) throw new Error(`${manifestKey(this.#ref).pk} day ${day} is written twice in one load`);
    const before = this.#hashes.get(day);
    if (before === undefined ? rows === 0 : Buffer.compare(before, hash) === 0) return 'unchanged';
    const days = [{ day, rows, hours: hours.length, size, hash }];
    const draft: DraftRun = { days, names, stored: undefined };
    this.#changed.set(day, rows === 0 ? undefined : draft);
    this.#lists.set(day, built.isDelivered ? this.#ref.table : rows > 0 ? 'undelivered' : undefined);
    if ('columns' in content) draft.stored = await this.#write(days, content);
    else if (rows > 0) this.#held.set(day, content);
    return 'written';
  }

  /**
   * Writes the runs that have changed, and the manifest.
   * @returns undefined if no day has changed
   */
  async close(): Promise<ChangedPartition | undefined> {
    if (this.#changed.size === 0) return undefined;
    const drafts = joinDrafts(this.#draftRuns());
    const replaced = this.#before.filter((run) => !drafts.some(({ stored }) => stored === run));
    const unchanged = await this.#readUnchanged(replaced);
    const after: StoredRun[] = [];
    for (const { days, stored } of drafts) {
      const rows = days.flatMap(({ day }) => this.#held.get(day) ?? unchanged.get(day) ?? []);
      after.push(stored ?? (await this.#write(days, encodeRun(joinDays(this.#ref.table, rows)))));
    }
    await this.#writer.supersede(
      replaced.flatMap((run) => itemKeys(this.#ref, run)),
      'readers',
    );
    const value = after.length === 0 ? null : encodeManifest(after);
    await writeHeads(this.#writer, [{ key: manifestKey(this.#ref), stored: this.#head, value, retention: 'readers' }]);
    const daysOf = (runs: readonly StoredRun[]) => runs.flatMap(({ days }) => days.map(({ day }) => day));
    const { experience, table } = this.#ref;
    const daysBy = (is: (columns: StoredRun['columns']) => boolean) => daysOf(after.filter((run) => is(run.columns)));
    const unmeasured = [
      ...measuresOf(table)
        .filter((measure) => hasMeaning(measure, experience) && DAY_COLUMNS.includes(measure))
        .map((name) => [name, daysBy((columns) => columns.has(name) === isDerived(name))] as const),
      ...TABLE_KEYS[table]
        .filter((key) => key !== 'date' && columnHasValues(key, experience))
        .map((key) => [keyIn(table, key), daysBy((columns) => !columns.has(key))] as const),
    ];
    const measures: ReadonlySet<string> = new Set(measuresOf(table));
    const withData = after.flatMap(({ columns }) =>
      [...columns].flatMap(([name, { distinct }]) => {
        if (distinct === 0 && !measures.has(name)) return [];
        return `${experience}/${packOf(name) === 'users' ? `${table}/users` : name}`;
      }),
    );
    return {
      ...{ ref: this.#ref, before: daysOf(this.#before), withData: [...new Set(withData)] },
      lists: this.#lists,
      unmeasured: new Map(unmeasured.filter(([, days]) => days.length > 0)),
    };
  }

  /** @returns the runs without a changed day from their first to their last, and each other day by itself; ascending */
  #draftRuns(): DraftRun[] {
    const drafts = [...this.#changed.values()].filter((draft) => draft !== undefined);
    for (const stored of this.#before) {
      const names = namesOf(stored.columns.keys());
      const days = stored.days.filter(({ day }) => !this.#changed.has(day));
      const last = stored.days.at(-1)?.day ?? 0;
      const isSame = ![...this.#changed.keys()].some((day) => day >= stored.day && day <= last);
      if (isSame) drafts.push({ days, names, stored });
      else drafts.push(...days.map((day) => ({ days: [day], names, stored: undefined })));
    }
    return drafts.sort((a, b) => firstDay(a) - firstDay(b));
  }

  /** @returns the rows of those days of the runs that the load has not changed */
  async #readUnchanged(runs: readonly StoredRun[]): Promise<ReadonlyMap<number, FactRows>> {
    const reads = runs
      .filter(({ days }) => days.some(({ day }) => !this.#changed.has(day)))
      .map((run) => ({ ref: this.#ref, runs: [run], columns: [...run.columns.keys()] }));
    const found = new Map<number, FactRows>();
    for await (const run of readRuns(this.#writer.table, reads)) {
      for (const [day, rows] of decodeDays(run)) if (!this.#changed.has(day)) found.set(day, rows);
    }
    return found;
  }

  /** Writes a run: its packs as one item each, other columns as items of their own. @returns its entry in the manifest */
  async #write(days: readonly StoredDay[], { rows, columns, packs }: EncodedRun): Promise<StoredRun> {
    const parts = new Map<string, Uint8Array[]>(); // by partition key
    const sizes = new Map<string, ColumnEntry>();
    for (const [name, { bytes, distinct }] of columns) {
      const pack = packOf(name);
      const isPacked = packs.includes(pack);
      const pk = isPacked ? packPk(this.#ref, pack) : segmentPk(this.#ref, name);
      parts.set(pk, isPacked ? [...(parts.get(pk) ?? []), bytes] : splitChunks(bytes));
      sizes.set(name, { bytes: bytes.length, distinct, chunks: isPacked ? 0 : countChunks(bytes.length) });
    }
    for (const pack of packs) {
      const pk = packPk(this.#ref, pack);
      const together = parts.get(pk);
      if (together !== undefined) parts.set(pk, [compress(joinChunks(together))]);
    }
    const run = { day: days[0]?.day ?? 0, version: this.#writer.n, rows, days, columns: sizes };
    const items = [...parts].flatMap(([pk, chunks]) =>
      chunks.map((bytes, chunk) => chunkItem(segmentKey(pk, run.day, run.version, chunk), bytes)),
    );
    await this.#writer.putItems(items);
    return run;
  }
}

/**
 * Joins neighbours with the same columns as far as they fit, but leaves two stored runs as they are.
 * @param drafts ascending
 */
function joinDrafts(drafts: readonly DraftRun[]): DraftRun[] {
  const joined: DraftRun[] = [];
  for (const draft of drafts) {
    const last = joined.at(-1);
    const isKept = last?.stored !== undefined && draft.stored !== undefined;
    if (last !== undefined && !isKept && last.names === draft.names && fitsRun(sizeOf(last) + sizeOf(draft))) {
      last.days.push(...draft.days);
      last.stored = undefined;
    } else {
      joined.push(draft);
    }
  }
  return joined;
}

function firstDay({ days }: DraftRun): number {
  return days[0]?.day ?? 0;
}

function sizeOf({ days }: DraftRun): number {
  return days.reduce((sum, { size }) => sum + size, 0);
}

/** @returns the keys of the items that have the run */
function itemKeys(ref: PartitionRef, { day, version, columns }: StoredRun): Key[] {
  const counts = new Map<string, number>(); // of items, by partition key
  for (const [name, { chunks }] of columns) {
    counts.set(chunks === 0 ? packPk(ref, packOf(name)) : segmentPk(ref, name), Math.max(1, chunks));
  }
  return [...counts].flatMap(([pk, count]) =>
    Array.from({ length: count }, (_, chunk) => segmentKey(pk, day, version, chunk)),
  );
}
