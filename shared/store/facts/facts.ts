import { createHash } from 'node:crypto';
import type { PartitionRef } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { visibleVersion } from '../commit/versions.ts';
import { writeHeads } from '../commit/write-heads.ts';
import { chunksOf, joinBytes, splitChunks } from '../table/chunks.ts';
import type { Item } from '../table/item.ts';
import type { Key } from '../table/keys.ts';
import { manifestKey, PACKED, segmentKey, segmentPk } from '../table/keys.ts';
import { segmentItem } from '../table/segments.ts';
import { deflate } from '../table/zstd.ts';
import type { TouchedMonth } from './fact-heads.ts';
import type { StoredDay } from './manifest-codec.ts';
import { decodeManifest, encodeManifest, HASH_BYTES } from './manifest-codec.ts';
import { parseManifest } from './manifests.ts';
import { takeRolledUp } from './rollups.ts';
import { writeFactHeads } from './write-fact-heads.ts';

/** Days whose columns are this small together, after compression, stand in one item. */
const PACKED_BYTES = 8 * 1024;
/** Columns that are larger than this together are not tried. */
const UNPACKED_BYTES = 2 * PACKED_BYTES;

/** One day of a partition as the loader hands it over; rows 0 = the day has none. */
export interface FactDay {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly distinct: number }>;
}

/** What the load has changed in one partition, until its manifest is written. */
interface Draft {
  readonly ref: PartitionRef;
  readonly stored: Item | undefined;
  /** A manifest of the one day, because that is small: a load may touch a million days. Without days where the day is empty now. */
  readonly days: Map<number, Uint8Array>;
}

const drafts = new WeakMap<CommitWriter, Map<string, Promise<Draft>>>();

/**
 * Replaces one day of the partition. A day that is as before is not written. Each day at most once a load; seen once `finishPartitions` was called and
 * the load is finished.
 * @param day of the month, 1–31
 * @returns whether it had to be written
 */
export async function writeFactDay(
  writer: CommitWriter,
  ref: PartitionRef,
  day: number,
  given: FactDay,
): Promise<'unchanged' | 'written'> {
  const encoded = inOrder(given);
  const draft = await openDraft(writer, ref);
  const before = storedDays(writer, draft).find((stored) => stored.day === day);
  if (draft.days.has(day) || before?.version === writer.n) {
    throw new Error(`${manifestKey(ref).pk} day ${day} is written twice in one load`);
  }
  const hash = hashOf(encoded);
  if (before === undefined ? encoded.rows === 0 : Buffer.compare(before.hash, hash) === 0) return 'unchanged';
  if (encoded.rows === 0) {
    draft.days.set(day, encodeManifest([]));
    return 'written';
  }
  const packed = pack(encoded);
  const entry = describeDay(writer, day, encoded, packed !== undefined, hash);
  draft.days.set(day, encodeManifest([entry]));
  await writer.putItems(segmentsOf(ref, entry, encoded, packed));
  return 'written';
}

/**
 * Writes the manifests and fact heads of all partitions whose days were written since the last call, and the platform's latest delivery day.
 * @param advertiserIds all advertisers that may have facts
 */
export async function finishPartitions(writer: CommitWriter, advertiserIds: Iterable<number>): Promise<void> {
  const open = await Promise.all(drafts.get(writer)?.values() ?? []);
  drafts.delete(writer);
  const changed = open.filter((draft) => draft.days.size > 0);
  const touched: TouchedMonth[] = [];
  for (const draft of changed) touched.push(await writeManifest(writer, draft));
  await writer.flush();
  await writeFactHeads(writer, { touched, rolledUp: takeRolledUp(writer) }, advertiserIds);
  await writer.flush();
}

function openDraft(writer: CommitWriter, ref: PartitionRef): Promise<Draft> {
  const ofWriter = drafts.get(writer) ?? new Map<string, Promise<Draft>>();
  drafts.set(writer, ofWriter);
  const key = manifestKey(ref);
  const known = ofWriter.get(key.pk);
  if (known !== undefined) return known;
  const opening = writer.table.get(key, { consistent: true }).then((stored) => ({ ref, stored, days: new Map() }));
  ofWriter.set(key.pk, opening);
  return opening;
}

function storedDays(writer: CommitWriter, draft: Draft): StoredDay[] {
  return parseManifest(visibleVersion(draft.stored, writer.state), manifestKey(draft.ref).pk);
}

/** Columns always stand in the order of their names: in packed days their place is all that tells them apart. */
function inOrder({ rows, columns }: FactDay): FactDay {
  return { rows, columns: new Map([...columns].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function describeDay(
  writer: CommitWriter,
  day: number,
  encoded: FactDay,
  packed: boolean,
  hash: Uint8Array,
): StoredDay {
  const columns = new Map(
    [...encoded.columns].map(([name, { bytes, distinct }]) => [
      name,
      { chunks: packed ? 0 : chunksOf(bytes.length), bytes: bytes.length, distinct },
    ]),
  );
  return { day, version: writer.n, rows: encoded.rows, packed, columns, hash };
}

function segmentsOf(ref: PartitionRef, entry: StoredDay, encoded: FactDay, packed: Uint8Array | undefined): Item[] {
  const item = (column: string, bytes: Uint8Array, chunk: number) =>
    segmentItem(segmentKey(segmentPk(ref, column), entry.day, entry.version, chunk), bytes);
  if (packed !== undefined) return [item(PACKED, packed, 0)];
  return [...encoded.columns].flatMap(([name, { bytes }]) =>
    splitChunks(bytes).map((piece, chunk) => item(name, piece, chunk)),
  );
}

/** @returns the columns one after another, compressed together; undefined where that is too large for one item. */
function pack(encoded: FactDay): Uint8Array | undefined {
  const columns = [...encoded.columns.values()].map(({ bytes }) => bytes);
  if (columns.reduce((sum, { length }) => sum + length, 0) > UNPACKED_BYTES) return undefined;
  const packed = deflate(joinBytes(columns));
  return packed.length <= PACKED_BYTES ? packed : undefined;
}

/** @returns the keys of the day's segments. */
function keysOf(ref: PartitionRef, entry: StoredDay): Key[] {
  if (entry.packed) return [segmentKey(segmentPk(ref, PACKED), entry.day, entry.version, 0)];
  return [...entry.columns].flatMap(([name, { chunks }]) =>
    Array.from({ length: chunks }, (_, chunk) => segmentKey(segmentPk(ref, name), entry.day, entry.version, chunk)),
  );
}

async function writeManifest(writer: CommitWriter, draft: Draft): Promise<TouchedMonth> {
  const { ref, stored } = draft;
  const key = manifestKey(ref);
  const before = storedDays(writer, draft);
  const replaced = before.filter(({ day }) => draft.days.has(day));
  await writer.supersede(
    replaced.flatMap((entry) => keysOf(ref, entry)),
    'readers',
  );
  const written = [...draft.days.values()].flatMap((bytes) => decodeManifest(bytes, key.pk));
  const after = [...before.filter(({ day }) => !draft.days.has(day)), ...written].sort((a, b) => a.day - b.day);
  const value = after.length === 0 ? null : encodeManifest(after);
  await writeHeads(writer, [{ key, stored, value, retention: 'readers' }]);
  return { ref, lastDay: after.at(-1)?.day };
}

function hashOf(encoded: FactDay): Uint8Array {
  const hash = createHash('sha256').update(`${encoded.rows}\n`);
  for (const [name, { bytes, distinct }] of encoded.columns)
    hash.update(`${name} ${distinct} ${bytes.length}\n`).update(bytes);
  return new Uint8Array(hash.digest().subarray(0, HASH_BYTES));
}
