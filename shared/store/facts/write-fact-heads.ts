import { isDeepStrictEqual } from 'node:util';
import { type FactHead, type LoadedDays, PLATFORM_ID } from '../../catalog/partitions.ts';
import type { CommitWriter } from '../commit/commits.ts';
import { type Version, visibleVersion } from '../commit/versions.ts';
import { writeHeads } from '../commit/write-heads.ts';
import type { Item } from '../table/item.ts';
import { factHeadKey } from '../table/item-keys.ts';
import { BATCH_GET_KEYS, inGroups } from '../table/requests.ts';
import { type FactChange, factHeadValue, updateFactHead } from './fact-heads.ts';
import { latestDeliveryOf, updateLoadedDays } from './loaded-days.ts';
import { factHeadChunkKeys, readFactHead, storeFactHead } from './stored-fact-head.ts';
import { rollupChunkKeys, type StoredRollup } from './stored-rollups.ts';

/** The fact head of an advertiser before the load; an empty one if it has none. */
interface HeadBefore {
  /** The item with all its versions. */
  readonly item: Item | undefined;
  /** The version that is visible. */
  readonly version: Version | undefined;
  readonly head: FactHead;
}

/**
 * Writes the fact heads of the advertisers that the load has changed, and the platform's. Call this at most once per load.
 * @returns the days with delivery of these advertisers
 */
export async function writeFactHeads(writer: CommitWriter, change: FactChange): Promise<Map<number, LoadedDays>> {
  const partitions = Map.groupBy(change.partitions, ({ ref }) => ref.advertiserId);
  const rollups = Map.groupBy(change.rollups, ({ ref }) => ref.advertiserId);
  const changed = [...new Set([...partitions.keys(), ...rollups.keys()])];
  const delivered = new Map<number, LoadedDays>();
  if (changed.length === 0) return delivered;
  const update = ({ head }: HeadBefore): FactHead => {
    const ofHead = {
      partitions: partitions.get(head.advertiserId) ?? [],
      rollups: rollups.get(head.advertiserId) ?? [],
    };
    return updateFactHead(writer.n, head, ofHead);
  };
  for (const batch of inBatches(changed.filter((id) => id !== PLATFORM_ID))) {
    for (const before of await readHeadsBefore(writer, batch)) {
      const after = update(before);
      delivered.set(after.advertiserId, after.days ?? new Map());
      await writeFactHead(writer, before, after);
    }
  }
  for (const before of await readHeadsBefore(writer, [PLATFORM_ID])) {
    const days = await updateLoadedDays(writer, before.head.days ?? new Map(), change.partitions);
    await writeFactHead(writer, before, { ...update(before), days, latestDelivery: latestDeliveryOf(days) });
  }
  return delivered;
}

async function readHeadsBefore(writer: CommitWriter, advertiserIds: readonly number[]): Promise<HeadBefore[]> {
  const items = await writer.table.getMany(advertiserIds.map(factHeadKey), { consistent: true });
  return Promise.all(
    advertiserIds.map(async (advertiserId, index) => {
      const item = items[index];
      const version = visibleVersion(item, writer.state);
      if (version !== undefined)
        return { item, version, head: await readFactHead(writer.table, advertiserId, version) };
      return {
        item,
        version,
        head: { advertiserId, months: new Map(), latestDelivery: new Map(), versions: new Map() },
      };
    }),
  );
}

/** Supersedes the rollups that the head no longer names, and writes the head if it has changed. */
async function writeFactHead(writer: CommitWriter, before: HeadBefore, after: FactHead): Promise<void> {
  // compares by identity: updateFactHead keeps the entry objects of months that have not changed
  const current = new Set(storedRollupsOf(after).map(({ entry }) => entry));
  const replaced = storedRollupsOf(before.head).filter(({ entry }) => !current.has(entry));
  await writer.supersede(replaced.flatMap(rollupChunkKeys), 'readers');
  const exists = after.months.size > 0 || (after.days?.size ?? 0) > 0;
  const content = exists ? factHeadValue(after) : undefined;
  if (isDeepStrictEqual(content, before.version && factHeadValue(before.head))) return;
  const { item: stored, version } = before;
  if (version !== undefined) await writer.supersede(factHeadChunkKeys(after.advertiserId, version), 'readers');
  const value = content === undefined ? null : await storeFactHead(writer, after, content, stored);
  await writeHeads(writer, [{ key: factHeadKey(after.advertiserId), stored, value, retention: 'readers' }]);
}

const inBatches = (ids: readonly number[]): number[][] => inGroups(ids, BATCH_GET_KEYS);

function storedRollupsOf({ advertiserId, rollups }: FactHead): StoredRollup[] {
  return [...(rollups ?? [])].flatMap(([experience, entries]) =>
    [...entries].map(([month, entry]) => ({ ref: { advertiserId, experience, month }, entry })),
  );
}
