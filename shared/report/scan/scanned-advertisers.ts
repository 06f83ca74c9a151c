import type { Experience, FactTable } from '../../catalog/tables.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import { dayNumber } from '../../lib/calendar.ts';
import type { Segment } from './segment.ts';

/** The advertisers of scanned segments, without those that are read as shards. */
export class ScannedAdvertisers {
  /** Those with rows that pass the filters. */
  readonly selected = new Set<number>();
  readonly #days = new Map<string, number[]>();

  /** Adds the days of the segment's advertiser that have rows. */
  add(table: FactTable, segment: Segment): void {
    if (table === 'delivery' || segment.advertiserId === PLATFORM_ID) return;
    const key = `${table}/${segment.experience}/${segment.advertiserId}`;
    const days = segment.keys('date').dictionary.map((day) => dayNumber(String(day)));
    this.#days.set(key, [...(this.#days.get(key) ?? []), ...days]);
  }

  daysOf(table: FactTable, experience: Experience, advertiserId: number): ReadonlySet<number> {
    return new Set(this.#days.get(`${table}/${experience}/${advertiserId}`));
  }
}
