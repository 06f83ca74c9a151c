import { EXPERIENCES, type Experience, type FactTable, isKeyIn, isOptional, tableOf } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { keepRows, sumByAdvertiser } from '../../columns/rollup.ts';
import { isShoppers, packTables, type RollupData, unpackTables } from '../../columns/rollup-tables.ts';
import { formatRanges } from '../../layout/day-ranges.ts';
import type {
  AdvertiserShard,
  EncodedRollup,
  FactHead,
  MonthRef,
  RollupEntry,
  ShardRef,
} from '../../layout/partitions.ts';
import { MAX_SHARD_ADVERTISERS, OF_ADVERTISER, OF_SHARD, ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import { CONCURRENCY, forEachConcurrently } from '../../lib/concurrency.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import { readAdvertiserShards, writeAdvertiserShards } from '../../store/facts/advertiser-shards.ts';
import { readFactHeads } from '../../store/facts/manifests.ts';
import { readOf, readRollups, rollupChunkKeys, writeRollup } from '../../store/facts/stored-rollups.ts';
import { BATCH_GET_KEYS, inGroups } from '../../store/table/requests.ts';

/** One month of one advertiser, summed by day and packed, so that it takes little memory; undefined if it has no facts. */
type PackedMonth = EncodedRollup | undefined;

/** Values by `monthKeyOf` a month: `<experience>/<month>`. */
type Months<Value> = Map<string, Value>;

/** A shard, and what a load changes of it. */
interface ShardDraft {
  readonly shard: number;
  readonly advertiserIds: Set<number>;
  readonly versions: Map<number, FactHead['versions']>;
  readonly days: Map<number, ReadonlyMap<Experience, string>>;
  readonly unmeasured: Map<number, ReadonlySet<string>>;
  readonly entries: Months<RollupEntry>;
  /** By month, the changed months of advertisers. */
  readonly changes: Months<Map<number, PackedMonth>>;
}

/** Keeps the rollups of shards of advertisers up to date. An advertiser joins the last shard, or a new one if that is full, when a load first changes its facts. */
export class ShardRollups {
  /** What the load has changed, by advertiser. */
  readonly #changed = new Map<number, Months<PackedMonth>>();

  /** @param rollup what the load has written of the changed month; 'none' if it has no facts */
  add(ref: MonthRef, rollup: RollupData | 'none'): void {
    const months = this.#changed.get(ref.advertiserId) ?? new Map<string, PackedMonth>();
    this.#changed.set(ref.advertiserId, months);
    months.set(monthKeyOf(ref), rollup === 'none' ? undefined : sumMonth(ref, rollup));
  }

  /** Writes the rollups that change, and the shards. @param heads what `FactWriter.finish` returned */
  async write(writer: CommitWriter, heads: ReadonlyMap<number, FactHead>): Promise<void> {
    if (this.#changed.size === 0) return;
    const drafts = await openDrafts(writer);
    for (const ids of inGroups([...this.#changed.keys()].sort(byNumber), BATCH_GET_KEYS)) {
      await this.#addChanges(writer, drafts, ids);
    }
    for (const draft of drafts) describeDays(draft, heads);
    await writer.flush();
    const months = drafts.flatMap((draft) => [...draft.changes.keys()].map((monthKey) => ({ draft, monthKey })));
    await forEachConcurrently(months, CONCURRENCY, ({ draft, monthKey }) => writeMonth(writer, draft, monthKey));
    await writeAdvertiserShards(writer, drafts.map(shardOf));
  }

  async #addChanges(writer: CommitWriter, drafts: ShardDraft[], ids: readonly number[]): Promise<void> {
    const isMember = (id: number) => drafts.some(({ advertiserIds }) => advertiserIds.has(id));
    const newIds = ids.filter((id) => !isMember(id));
    const heads = await readFactHeads(writer.table, newIds, writer.state);
    for (const id of ids) {
      const current = drafts.find(({ advertiserIds }) => advertiserIds.has(id));
      const changed = this.#changed.get(id) ?? new Map();
      const draft = current ?? findRoom(drafts);
      const head = heads.get(id);
      if (current !== undefined) addMonths(draft, id, changed);
      else if (head !== undefined) addMonths(draft, id, await readMonths(writer, head, changed));
      draft.advertiserIds.add(id);
      const experiences = [...changed.keys()].map((monthKey) => parseMonthKey(monthKey).experience);
      const before = draft.versions.get(id) ?? head?.versions ?? [];
      draft.versions.set(id, new Map([...before, ...experiences.map((name) => [name, writer.n] as const)]));
    }
  }
}

/** @returns the shards as they are before the load */
async function openDrafts(writer: CommitWriter): Promise<ShardDraft[]> {
  const shards = await readAdvertiserShards(writer.table, writer.state);
  return shards.map((shard) => ({
    shard: shard.shard,
    advertiserIds: new Set(shard.advertiserIds),
    versions: new Map(shard.versions),
    days: new Map(shard.days),
    unmeasured: new Map(shard.unmeasured),
    entries: new Map(refsOf(shard).map(({ ref, entry }) => [monthKeyOf(ref), entry])),
    changes: new Map(),
  }));
}

/** @returns the last shard, or a new one if that is full */
function findRoom(drafts: ShardDraft[]): ShardDraft {
  const last = drafts.at(-1);
  const hasRoom = last !== undefined && last.advertiserIds.size < MAX_SHARD_ADVERTISERS;
  if (hasRoom) return last;
  const shard = (last?.shard ?? 0) + 1;
  const draft: ShardDraft = {
    shard,
    advertiserIds: new Set(),
    versions: new Map(),
    days: new Map(),
    unmeasured: new Map(),
    entries: new Map(),
    changes: new Map(),
  };
  drafts.push(draft);
  return draft;
}

function addMonths({ changes }: ShardDraft, id: number, months: Months<PackedMonth>): void {
  for (const [monthKey, packed] of months) changes.set(monthKey, (changes.get(monthKey) ?? new Map()).set(id, packed));
}

/** @returns all months of the advertiser, changed ones as given */
async function readMonths(
  writer: CommitWriter,
  { advertiserId, rollups }: FactHead,
  changed: Months<PackedMonth>,
): Promise<Months<PackedMonth>> {
  const all = new Map(changed);
  const stored: { readonly ref: MonthRef; readonly entry: RollupEntry }[] = [];
  for (const [experience, months] of rollups ?? []) {
    for (const [month, entry] of months) {
      const ref = { advertiserId, experience, month };
      if (!changed.has(monthKeyOf(ref))) stored.push({ ref, entry });
    }
  }
  const withoutShoppers = stored
    .map(readOf)
    .map((read) => ({ ...read, columns: read.columns.filter((name) => !isShoppers(name)) }));
  for await (const { read, encoded } of readRollups(writer.table, withoutShoppers)) {
    all.set(monthKeyOf(read.ref), sumMonth(read.ref, encoded));
  }
  return all;
}

/** @param encoded of OF_ADVERTISER */
function sumMonth({ advertiserId, month }: MonthRef, { packed, columns }: EncodedRollup): PackedMonth {
  const withoutShoppers = new Map([...columns].filter(([name]) => !isShoppers(name)));
  const tables = unpackTables(OF_ADVERTISER, { packed, columns: withoutShoppers }, `${advertiserId}/${month}`);
  const sums = [...tables].map(([table, rows]) => [table, [sumByAdvertiser(advertiserId, rows)]] as const);
  return packTables(OF_SHARD, new Map(sums));
}

/** Writes one month of the shard: the stored rows of advertisers that have not changed, and the changed ones. */
async function writeMonth(writer: CommitWriter, draft: ShardDraft, monthKey: string): Promise<void> {
  const { shard, entries } = draft;
  const changes = draft.changes.get(monthKey) ?? new Map<number, PackedMonth>();
  const ref: ShardRef = { shard, ...parseMonthKey(monthKey) };
  const parts = new Map<FactTable, FactRows[]>(ROLLUP_TABLES.map((table) => [table, []]));
  const add = (encoded: EncodedRollup, isKept: (id: number) => boolean) => {
    for (const [table, rows] of unpackTables(OF_SHARD, encoded, `shard ${shard}/${monthKey}`)) {
      const kept = keepRows(rows, 'advertiser', isKept);
      if (kept.rows > 0) parts.get(table)?.push(kept);
    }
  };
  const entry = entries.get(monthKey);
  if (entry !== undefined) {
    await writer.supersede(rollupChunkKeys({ ref, entry }), 'readers');
    for await (const { encoded } of readRollups(writer.table, [readOf({ ref, entry })])) {
      add(encoded, (id) => !changes.has(id));
    }
  }
  for (const packed of changes.values()) if (packed !== undefined) add(packed, () => true);
  entries.delete(monthKey);
  const data = packTables(OF_SHARD, parts);
  if (data === undefined) return;
  const written = await writeRollup(writer, ref, data);
  entries.set(monthKey, written.entry);
}

/** Records the days with delivery of the shard's advertisers, and what their facts lack. */
function describeDays({ advertiserIds, days, unmeasured }: ShardDraft, heads: ReadonlyMap<number, FactHead>): void {
  for (const id of advertiserIds) {
    const head = heads.get(id);
    if (head === undefined) continue;
    const delivery = [...(head.days ?? [])].map(([name, tables]) => {
      return [name, formatRanges(tables.get('delivery') ?? [])] as const;
    });
    days.set(id, new Map(delivery));
    const lacking = [...(head.unmeasured ?? [])].flatMap(([name, columns]) =>
      [...columns.keys()].flatMap((column) =>
        isKeyIn(tableOf(column), column) || isOptional(column) ? [] : [`${name}/${column}`],
      ),
    );
    if (lacking.length === 0) unmeasured.delete(id);
    else unmeasured.set(id, new Set(lacking));
  }
}

function shardOf({ shard, advertiserIds, versions, days, unmeasured, entries }: ShardDraft): AdvertiserShard {
  const rollups = new Map<Experience, Map<string, RollupEntry>>();
  for (const [monthKey, entry] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { experience, month } = parseMonthKey(monthKey);
    rollups.set(experience, (rollups.get(experience) ?? new Map()).set(month, entry));
  }
  return { shard, advertiserIds: [...advertiserIds].sort(byNumber), versions, days, unmeasured, rollups };
}

function refsOf({ shard, rollups }: AdvertiserShard): { readonly ref: ShardRef; readonly entry: RollupEntry }[] {
  return [...rollups].flatMap(([experience, months]) =>
    [...months].map(([month, entry]) => ({ ref: { shard, experience, month }, entry })),
  );
}

const byNumber = (a: number, b: number): number => a - b;

const monthKeyOf = ({ experience, month }: MonthRef | ShardRef): string => `${experience}/${month}`;

function parseMonthKey(monthKey: string): Pick<ShardRef, 'experience' | 'month'> {
  const [name, month = ''] = monthKey.split('/');
  const experience = EXPERIENCES.find((candidate) => candidate === name);
  if (experience === undefined) throw new Error(`${name} is not an experience`);
  return { experience, month };
}
