import { isDeepStrictEqual } from 'node:util';
import { EXPERIENCES, type Experience } from '../../catalog/tables.ts';
import { type FactHead, type LoadedDays, PLATFORM_ID } from '../../layout/partitions.ts';
import { allEnded } from '../../lib/concurrency.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { writeEncodedTable } from '../commit/encoded-tables.ts';
import { factHeadRef } from '../table/item-keys.ts';
import { BATCH_GET_KEYS, inGroups } from '../table/requests.ts';
import { writeColumnsWithData } from './columns-with-data.ts';
import { encodeFactHead, type FactChange, updateFactHead } from './fact-heads.ts';
import { changedDays, type DayChange, latestDeliveryOf, updateLoadedDays } from './loaded-days.ts';
import { readFactHeads } from './manifests.ts';
import { rollupChunkKeys, type StoredRollup } from './stored-rollups.ts';

/**
 * Writes the fact heads of the advertisers that the load has changed, the platform's, and the columns with data. Call this at most once per load.
 * @returns the heads of these advertisers
 */
export async function writeFactHeads(writer: CommitWriter, change: FactChange): Promise<Map<number, FactHead>> {
  const partitions = Map.groupBy(change.partitions, ({ ref }) => ref.advertiserId);
  const rollups = Map.groupBy(change.rollups, ({ ref }) => ref.advertiserId);
  const changed = [...new Set([...partitions.keys(), ...rollups.keys()])];
  const written = new Map<number, FactHead>();
  if (changed.length === 0) return written;
  const update = (head: FactHead): FactHead => {
    const ofHead = {
      partitions: partitions.get(head.advertiserId) ?? [],
      rollups: rollups.get(head.advertiserId) ?? [],
    };
    return updateFactHead(writer.n, head, ofHead);
  };
  const dayChanges: DayChange[] = [];
  const added = new Map<Experience, number>();
  const count = ({ months }: FactHead, by: number) => {
    for (const name of months.keys()) added.set(name, (added.get(name) ?? 0) + by);
  };
  const ids = changed.filter((id) => id !== PLATFORM_ID);
  for (const batch of inGroups(ids, BATCH_GET_KEYS)) {
    const heads = await readHeadsBefore(writer, batch);
    await allEnded(
      heads.map((before) => {
        const after = update(before);
        count(before, -1);
        count(after, 1);
        written.set(after.advertiserId, after);
        dayChanges.push(...changedDays(before.days ?? NO_DAYS, after.days ?? NO_DAYS));
        return writeFactHead(writer, before, after);
      }),
    );
  }
  for (const before of await readHeadsBefore(writer, [PLATFORM_ID])) {
    const own = update(before); // of market
    dayChanges.push(...changedDays(before.days ?? NO_DAYS, own.days ?? NO_DAYS));
    const days = await updateLoadedDays(writer, before.days ?? NO_DAYS, dayChanges);
    for (const name of EXPERIENCES)
      if (!isDeepStrictEqual(before.days?.get(name), days.get(name))) writer.changedDays.add(name);
    const advertisers = new Map(before.advertisers);
    for (const [name, change] of added) advertisers.set(name, (advertisers.get(name) ?? 0) + change);
    const ofAll = { days, latestDelivery: latestDeliveryOf(days), advertisers };
    await writeFactHead(writer, before, { ...own, ...ofAll });
  }
  await writeColumnsWithData(writer, change.partitions);
  return written;
}

const NO_DAYS: LoadedDays = new Map();

/** @returns the heads before the load; an empty one of an advertiser without any */
async function readHeadsBefore(writer: CommitWriter, advertiserIds: readonly number[]): Promise<FactHead[]> {
  const heads = await readFactHeads(writer.table, advertiserIds, writer.state);
  return advertiserIds.map((advertiserId) => {
    const none = { advertiserId, months: new Map(), latestDelivery: new Map(), versions: new Map() };
    return heads.get(advertiserId) ?? none;
  });
}

/** Supersedes the rollups that the head no longer names, and writes the head if it has changed. */
async function writeFactHead(writer: CommitWriter, before: FactHead, after: FactHead): Promise<void> {
  // compares by identity: updateFactHead keeps the entry objects of months that have not changed
  const current = new Set(storedRollupsOf(after).map(({ entry }) => entry));
  const replaced = storedRollupsOf(before).filter(({ entry }) => !current.has(entry));
  await writer.supersede(replaced.flatMap(rollupChunkKeys), 'readers');
  await writeEncodedTable(writer, factHeadRef(after.advertiserId), encodeFactHead(after));
}

function storedRollupsOf({ advertiserId, rollups }: FactHead): StoredRollup[] {
  return [...(rollups ?? [])].flatMap(([experience, entries]) =>
    [...entries].map(([month, entry]) => ({ ref: { advertiserId, experience, month }, entry })),
  );
}
