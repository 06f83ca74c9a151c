import type { Experience, FactTable } from '../../catalog/tables.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';
import type { Segment } from './segment.ts';

/** The advertisers of scanned segments, without those that are read as shards. */
export class ScannedAdvertisers {
  /** Those with rows that pass the filters. */
  readonly selected = new Set<number>();
  readonly #dates = new Map<string, Set<string>>();

  /** Adds the days of the segment's advertiser that have rows. */
  add(table: FactTable, segment: Segment): void {
    if (table === 'delivery' || segment.advertiserId === PLATFORM_ID) return;
    const key = `${table}/${segment.experience}/${segment.advertiserId}`;
    const dates = this.#dates.get(key) ?? new Set();
    for (const date of segment.keys('date').dictionary) dates.add(String(date));
    this.#dates.set(key, dates);
  }

  datesOf(table: FactTable, experience: Experience, advertiserId: number): ReadonlySet<string> {
    return this.#dates.get(`${table}/${experience}/${advertiserId}`) ?? new Set();
  }
}
