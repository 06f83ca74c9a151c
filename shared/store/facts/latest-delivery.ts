import type { FactHead } from '../../catalog/partitions.ts';
import { EXPERIENCES, type Experience } from '../../catalog/tables.ts';

type LatestDays = ReadonlyMap<Experience, string>;

/** Collects a load's changes to the latest delivery days of advertisers. */
export class DeliveryChanges {
  readonly advertiserIds = new Set<number>();
  /** The latest delivery day of these advertisers after the load. */
  readonly after = new Map<Experience, string>();
  /** The latest delivery day that one of these advertisers had before the load and no longer has. */
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
 * Computes the platform's latest delivery days after a load. A later day of a changed advertiser replaces the platform's day without further reads.
 * The heads of the other advertisers are read only if a changed advertiser lost the platform's day and no changed one has it or a later one; the reads stop
 * after the batch in which the last such day is found.
 * @param before the platform's days before the load
 * @param readOthers reads the heads of the unchanged advertisers in batches
 * @returns the latest delivery day of each experience that has delivery
 */
export async function updateLatestDelivery(
  before: LatestDays,
  changes: DeliveryChanges,
  readOthers: () => AsyncIterable<Iterable<FactHead>>,
): Promise<LatestDays> {
  const latest = new Map(changes.after);
  const isUnknown = (experience: Experience): boolean => {
    const day = before.get(experience);
    if (day === undefined) return false;
    return (changes.lost.get(experience) ?? '') >= day && (latest.get(experience) ?? '') < day;
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
