import { type FactHead, PLATFORM_ID } from '../../catalog/partitions.ts';
import type { Experience } from '../../catalog/tables.ts';
import { dayNumber } from '../../lib/calendar.ts';
import type { Joins } from './joins.ts';

/** Through which day the data of a report is complete. */
export interface Completeness {
  /** The earliest of the days of the report's advertisers (`YYYY-MM-DD`); null where no advertiser has one. */
  readonly through: string | null;
  /** @returns the last complete day of one advertiser as a day number; -Infinity where there is none */
  lastDayOf(advertiserId: number): number;
}

/**
 * An advertiser's data is complete through the day that the `freshness` table gives for it, or else for all advertisers. Without such a row, it is
 * complete through the latest day with delivery of any advertiser in the experience, because operators load each day for all advertisers, and an
 * advertiser without delivery on a day may simply have paused.
 * @param heads the fact heads of the platform and of the report's advertisers, without those that are read as shards
 */
export function findCompleteness(
  heads: ReadonlyMap<number, FactHead>,
  joins: Joins,
  experience: Experience,
  advertiserIds: readonly number[],
): Completeness {
  const latest = heads.get(PLATFORM_ID)?.latestDelivery.get(experience) ?? null;
  const throughOf = new Map(advertiserIds.map((id) => [id, joins.freshness(experience, id) ?? latest]));
  const days = [...new Set(throughOf.values())].filter((day) => day !== null).sort();
  const numberOf = new Map(days.map((day) => [day, dayNumber(day)])); // lastDayOf is called for each budget
  return {
    through: days[0] ?? null,
    lastDayOf: (advertiserId) => numberOf.get(throughOf.get(advertiserId) ?? '') ?? Number.NEGATIVE_INFINITY,
  };
}
