import type { FactTable, Measure } from '../../catalog/tables.ts';
import type { FactRows } from '../../columns/build-day.ts';
import { keepRows } from '../../columns/rollup.ts';
import { packTables, type RollupData, unpackTables } from '../../columns/rollup-tables.ts';
import type { FactHead, MonthRef, RollupEntry } from '../../layout/partitions.ts';
import { OF_ADVERTISER, ROLLUP_TABLES } from '../../layout/rollup-keys.ts';
import type { CommitWriter } from '../../store/commit/commits.ts';
import type { FactWriter } from '../../store/facts/fact-writer.ts';
import { readOf, readRollups } from '../../store/facts/stored-rollups.ts';
import type { Table } from '../../store/table/table.ts';
import { findUsualDay, type UsualDay } from './usual-day.ts';

/** The rollup of one month of one advertiser, with the days that a load writes. */
export class MonthDraft {
  readonly ref: MonthRef;
  /** By table, the loaded days, rolled up; undefined if the load empties the day. */
  readonly #loaded = new Map<FactTable, Map<number, FactRows | undefined>>();
  readonly #head: FactHead | undefined;
  /** The rollup's rows of each table before the load, once `write` has read them. */
  #stored: ReadonlyMap<FactTable, FactRows> = new Map();

  /** @param head of the advertiser before the load */
  constructor(ref: MonthRef, head: FactHead | undefined) {
    this.ref = ref;
    this.#head = head;
  }

  /**
   * Adds a day of one table that the load replaces.
   * @param day of the month
   * @param rolled undefined if the load empties the day
   */
  addDay(table: FactTable, day: number, rolled: FactRows | undefined): void {
    this.#loaded.set(table, (this.#loaded.get(table) ?? new Map<number, FactRows | undefined>()).set(day, rolled));
  }

  /**
   * Writes the rollup: the loaded days, and the stored days that the load does not replace.
   * @param changed whether the load has changed a day of the month
   * @returns the rollup, or why there is none: 'none' if the month has no facts
   */
  async write(writer: CommitWriter, facts: FactWriter, changed: boolean): Promise<RollupData | 'unchanged' | 'none'> {
    if (!changed || this.#loaded.size === 0) return 'unchanged'; // market has no rollup
    const { experience, month } = this.ref;
    const entry = this.#head?.rollups?.get(experience)?.get(month);
    if (entry !== undefined) this.#stored = await this.#readStored(writer, entry);
    const parts = new Map(ROLLUP_TABLES.map((table) => [table, this.#partsOf(table)]));
    const rollup = packTables(OF_ADVERTISER, parts);
    if (rollup === undefined) return 'none';
    await facts.writeRollup(this.ref, rollup);
    return rollup;
  }

  /** @returns the sums of one day's measures before and after the load; none of market. Call this after `write`. */
  sumsOf(table: FactTable, day: number) {
    return {
      before: sumDayOf(this.#stored.get(table), day),
      after: sumDayOf(this.#loaded.get(table)?.get(day), day),
    };
  }

  /** @returns what the advertiser's days of delivery usually had before the load. Call this after `write`. */
  usualDay(table: Table): Promise<UsualDay> {
    return findUsualDay(table, this.ref, this.#head, this.#stored.get('delivery'));
  }

  /** @returns the rollup's rows of each table, as they were before the load */
  async #readStored(writer: CommitWriter, entry: RollupEntry): Promise<Map<FactTable, FactRows>> {
    const { ref } = this;
    for await (const { encoded } of readRollups(writer.table, [readOf({ ref, entry })]))
      return unpackTables(OF_ADVERTISER, encoded, `${ref.advertiserId}/${ref.month}`);
    return new Map();
  }

  /** @returns the rows of the days, none of them empty */
  #partsOf(table: FactTable): FactRows[] {
    const stored = this.#stored.get(table);
    const loaded = this.#loaded.get(table);
    const kept = stored && keepRows(stored, 'date', (day) => !loaded?.has(day));
    const present = [kept, ...(loaded?.values() ?? [])]
      .filter((part) => part !== undefined)
      .filter(({ rows }) => rows > 0);
    // shoppers of some days would be read as shoppers of all
    return present.every(({ shoppers }) => shoppers !== undefined) ? present : present.map(withoutShoppers);
  }
}

/** @returns the sums of the day's measures, scaled */
function sumDayOf(facts: FactRows | undefined, day: number): ReadonlyMap<Measure, number> {
  const sums = new Map<Measure, number>();
  if (facts === undefined) return sums;
  const { rows, keys, measures } = facts;
  const { dictionary = [], codes = [] } = keys.get('date') ?? {};
  for (let row = 0; row < rows; row++) {
    if (dictionary[codes[row] ?? 0] !== day) continue;
    for (const [name, values] of measures) sums.set(name, (sums.get(name) ?? 0) + (values[row] ?? 0));
  }
  return sums;
}

function withoutShoppers({ shoppers: _, ...rows }: FactRows): FactRows {
  return rows;
}
