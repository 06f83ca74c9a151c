import { type FactHead, MARKET_ADVERTISER } from '../../catalog/partitions.ts';
import type { Experience } from '../../catalog/tables.ts';
import { dayNumber } from '../../lib/calendar.ts';
import type { Joins } from './joins.ts';

/** How far a report's data is complete. */
export interface Completeness {
  /** The earliest over the report's advertisers; null where nothing was ever delivered. */
  readonly through: string | null;
  /** @returns the last complete day of one advertiser, as a day number; below every day where there is none */
  lastDayOf(advertiserId: number): number;
}

/**
 * An advertiser's data is complete through the day that the operator's `freshness` gives for it, or for all advertisers; without one, through the
 * latest day with delivery of any advertiser: operators load days for everybody, and an advertiser that paused has not stopped the data.
 * @param heads of the report's advertisers and of the platform
 */
export function findCompleteness(
  heads: ReadonlyMap<number, FactHead>,
  joins: Joins,
  experience: Experience,
  advertiserIds: readonly number[],
): Completeness {
  const latest = latestDelivery(heads, experience);
  const throughOf = new Map(advertiserIds.map((id) => [id, joins.freshness(experience, id) ?? latest]));
  return {
    through: [...throughOf.values()].filter((day) => day !== null).sort()[0] ?? null,
    lastDayOf: (advertiserId) => {
      const day = throughOf.get(advertiserId) ?? null;
      return day === null ? Number.NEGATIVE_INFINITY : dayNumber(day);
    },
  };
}

/** The platform's head lacks the day until the first load after an upgrade: until then, of the report's advertisers. */
function latestDelivery(heads: ReadonlyMap<number, FactHead>, experience: Experience): string | null {
  const ofPlatform = heads.get(MARKET_ADVERTISER)?.latestDelivery.get(experience);
  if (ofPlatform !== undefined) return ofPlatform;
  const days = [...heads.values()]
    .map((head) => head.latestDelivery.get(experience))
    .filter((day) => day !== undefined);
  return days.sort().at(-1) ?? null;
}
