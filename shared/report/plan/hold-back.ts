import type { Experience } from '../../catalog/tables.ts';
import { type FactHead, PLATFORM_ID } from '../../layout/partitions.ts';
import type { FactSources } from './shards.ts';

/**
 * Where few advertisers have facts, the days of all of them show what one of them does. A report is told of these days only if its advertisers have facts in the experience, too.
 * @param experiences those of the report
 * @param minOthers the setting `marketMinOthers`
 * @returns the sources, the platform's head without the experiences in which fewer advertisers have facts, none of them the report's
 */
export function holdBack(facts: FactSources, experiences: readonly Experience[], minOthers: number): FactSources {
  const { heads, shards } = facts;
  const platform = heads.get(PLATFORM_ID);
  if (platform === undefined) return facts;
  const isOwn = (name: Experience) =>
    [...heads].some(([id, { versions }]) => id !== PLATFORM_ID && versions.has(name)) ||
    shards.some(({ shard, advertiserIds }) => advertiserIds.some((id) => shard.versions.get(id)?.has(name)));
  const isFew = (name: Experience) => (platform.advertisers?.get(name) ?? 0) < minOthers;
  const hidden = new Set(experiences.filter((name) => isFew(name) && !isOwn(name)));
  if (hidden.size === 0) return facts;
  const without = <V>(map: ReadonlyMap<Experience, V> = new Map()) =>
    new Map([...map].filter(([name]) => !hidden.has(name)));
  const { months, latestDelivery, versions, days } = platform;
  const shown: FactHead = {
    ...platform,
    ...{ months: without(months), latestDelivery: without(latestDelivery) },
    ...{ versions: without(versions), days: without(days) },
  };
  return { shards, heads: new Map([...heads, [PLATFORM_ID, shown]]) };
}
