import { MARKET_ADVERTISER, type PartitionRef } from '../../catalog/partitions.ts';
import type { DeletionRow } from '../schema/file-columns.ts';

/** The days that a deletions file names, by the partitions they are in. */
export class DeletedDays {
  readonly #rows: readonly Partial<DeletionRow>[];
  /** Row numbers by partition and day. The key of a row without an advertiser has no id. */
  readonly #days = new Map<string, number[]>();
  readonly #months = new Set<string>();

  /** @param rows rows without an experience, table or day are ignored */
  constructor(rows: readonly Partial<DeletionRow>[]) {
    this.#rows = rows;
    for (const [index, { experience, table, advertiserId, day }] of rows.entries()) {
      if (experience === undefined || table === undefined || day === undefined) continue;
      const month = keyOf({ experience, table, month: day.slice(0, 7) }, advertiserId);
      this.#months.add(month);
      const key = `${month}${day.slice(7)}`;
      const same = this.#days.get(key);
      if (same === undefined) this.#days.set(key, [index]);
      else same.push(index);
    }
  }

  /**
   * @param all the advertisers that a row without an advertiser applies to
   * @returns the advertisers (`MARKET_ADVERTISER` for market) whose days may be named
   */
  advertiserIds(all: Iterable<number>): number[] {
    const ids = new Set<number>();
    let isForAll = false;
    for (const { table, advertiserId } of this.#rows) {
      if (table === 'market') ids.add(MARKET_ADVERTISER);
      else if (advertiserId !== undefined) ids.add(advertiserId);
      else isForAll = true;
    }
    return [...(isForAll ? ids.union(new Set(all)) : ids)];
  }

  /** @returns whether a day of the partition is named */
  hasMonth(ref: PartitionRef): boolean {
    return this.#months.has(keyOf(ref, ref.advertiserId)) || this.#months.has(keyOf(ref, undefined));
  }

  /**
   * @param day of the month
   * @returns the numbers of the rows that name the day
   */
  rowsOf(ref: PartitionRef, day: number): number[] {
    const suffix = `-${String(day).padStart(2, '0')}`;
    const own = this.#days.get(`${keyOf(ref, ref.advertiserId)}${suffix}`) ?? [];
    const forAll = this.#days.get(`${keyOf(ref, undefined)}${suffix}`) ?? [];
    return [...own, ...forAll];
  }
}

function keyOf(
  { experience, table, month }: Omit<PartitionRef, 'advertiserId'>,
  advertiserId: number | undefined,
): string {
  return `${experience}/${table}/${advertiserId ?? ''}/${month}`;
}
