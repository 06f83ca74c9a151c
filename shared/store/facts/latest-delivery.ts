import type { FactHead } from '../../catalog/partitions.ts';
import { EXPERIENCES, type Experience } from '../../catalog/tables.ts';

type LatestDays = ReadonlyMap<Experience, string>;

/** What a load has changed in the latest delivery days of advertisers. */
export class DeliveryChanges {
  readonly advertiserIds = new Set<number>();
  /** The latest day that one of these advertisers has after the load. */
  readonly after = new Map<Experience, string>();
  /** The latest day that one of these advertisers had before the load and has lost. */
  readonly lost = new Map<Experience, string>();

  add(before: FactHead, after: FactHead): void {
    this.advertiserIds.add(after.advertiserId);
    for (const experience of EXPERIENCES) {
      const had = before.latestDelivery.get(experience);
      const has = after.latestDelivery.get(experience);
      raise(this.after, experience, has);
      if (had !== undefined && (has === undefined || has < had)) raise(this.lost, experience, had);
    }
  }
}

/**
 * The platform's latest delivery days after a load. Later days raise them without reading anything. The heads of the other advertisers are read only
 * where an advertiser has lost the latest day and no changed one has it still, or where the days were never computed, and only until one of
 * them is found to have the latest day.
 * @param before the platform's days before the load; empty in tables of older versions and where there is no delivery
 * @param readOthers reads the heads of advertisers that the load has not changed, a batch at a time
 */
export async function updateLatestDelivery(
  before: LatestDays,
  changes: DeliveryChanges,
  readOthers: () => AsyncIterable<Iterable<FactHead>>,
): Promise<LatestDays> {
  const latest = new Map(changes.after);
  const isUnknown = (experience: Experience): boolean => {
    const known = before.get(experience);
    if (known === undefined) return before.size === 0;
    return (changes.lost.get(experience) ?? '') >= known && (latest.get(experience) ?? '') < known;
  };
  const unknown = EXPERIENCES.filter(isUnknown);
  for (const experience of EXPERIENCES) {
    if (!unknown.includes(experience)) raise(latest, experience, before.get(experience));
  }
  if (unknown.length === 0) return latest;
  for await (const heads of readOthers()) {
    for (const { latestDelivery } of heads) {
      for (const experience of unknown) raise(latest, experience, latestDelivery.get(experience));
    }
    if (!unknown.some(isUnknown)) break;
  }
  return latest;
}

function raise(latest: Map<Experience, string>, experience: Experience, day: string | undefined): void {
  if (day !== undefined && day > (latest.get(experience) ?? '')) latest.set(experience, day);
}
