import type { FactTable } from '../../catalog/tables.ts';
import { formatDay } from '../../lib/calendar.ts';
import type { TimeZone } from '../schema/time-zone.ts';
import { type CodedFacts, storedColumns } from './code-facts.ts';
import { type Example, type Finding, Tally } from './fact-warnings.ts';
import type { ReferenceIds, StoredKey } from './key-codes.ts';
import { OwnersByCode } from './owned-texts.ts';

const HOURS = 24;

/** Finds suspicious rows among coded facts whose values are all valid. */
export class FactChecks {
  readonly #owners: readonly number[];
  readonly #creatives: OwnersByCode;
  readonly #products: OwnersByCode;
  readonly #zone: TimeZone;
  readonly #decode: (code: number) => string | null;

  /** @param decode the text that a code stands for */
  constructor(known: ReferenceIds, zone: TimeZone, decode: (code: number) => string | null) {
    this.#owners = known.owners;
    this.#creatives = new OwnersByCode(known.creatives, decode);
    this.#products = new OwnersByCode(known.products, decode);
    this.#zone = zone;
    this.#decode = decode;
  }

  /** @returns the suspicious rows. Compares codes, not texts. */
  check(table: FactTable, facts: CodedFacts, lineOf: (row: number) => number): Finding[] {
    const { keys } = storedColumns(table);
    const columnOf = (key: StoredKey) => facts.columns[keys.indexOf(key)];
    const adGroups = columnOf('ad_group_id');
    const creatives = columnOf('creative_key');
    const products = columnOf('entity_id');
    return [
      ...this.#checkHours(facts.days, columnOf('hour'), lineOf),
      ...(adGroups === undefined || creatives === undefined ? [] : this.#checkCreatives(creatives, adGroups, lineOf)),
      ...(adGroups === undefined || products === undefined ? [] : this.#checkProducts(products, adGroups, lineOf)),
    ];
  }

  // Below, rows are in range of the columns, which are all as long.

  #checkHours(days: Float64Array, hours: Float64Array | undefined, lineOf: (row: number) => number): Finding[] {
    const tally = new Tally('skippedHour');
    const hourOf = (row: number) => (hours?.[row] ?? 1) - 1;
    let day = Number.NaN;
    let seconds: readonly number[] = [];
    let skipsHour = false;
    for (let row = 0; row < days.length; row++) {
      if (days[row] !== day) {
        day = days[row] as number;
        seconds = this.#zone.secondsOfHours(day);
        skipsHour = seconds.includes(0);
      }
      if (skipsHour && seconds[hourOf(row)] === 0) tally.add(row, day * HOURS + hourOf(row));
    }
    return tally.find((row) => ({
      what: `hour ${hourOf(row)} of ${formatDay(days[row] as number)}`,
      line: lineOf(row),
    }));
  }

  #checkCreatives(codes: Float64Array, adGroups: Float64Array, lineOf: (row: number) => number): Finding[] {
    const tally = new Tally('foreignCreative');
    for (let row = 0; row < codes.length; row++) {
      const code = codes[row] as number;
      if (code === 0 || this.#creatives.has(code, this.#ownerOf(adGroups, row))) continue;
      if (this.#creatives.singleOwner(code) !== undefined) tally.add(row, code);
    }
    return tally.find((row): Example => {
      const code = codes[row] as number;
      const owners = `of advertiser ${this.#creatives.singleOwner(code)} in an ad group of ${this.#ownerOf(adGroups, row)}`;
      return { what: `${this.#decode(code)} ${owners}`, line: lineOf(row) };
    });
  }

  #checkProducts(codes: Float64Array, adGroups: Float64Array, lineOf: (row: number) => number): Finding[] {
    const tally = new Tally('unknownProduct');
    for (let row = 0; row < codes.length; row++) {
      const code = codes[row] as number;
      if (code !== 0 && !this.#products.has(code, this.#ownerOf(adGroups, row))) tally.add(row, code);
    }
    return tally.find((row): Example => {
      const what = `${this.#decode(codes[row] as number)} in an ad group of advertiser ${this.#ownerOf(adGroups, row)}`;
      return { what, line: lineOf(row) };
    });
  }

  #ownerOf(adGroups: Float64Array, row: number): number {
    return this.#owners[(adGroups[row] as number) - 1] as number; // every coded ad group has an owner
  }
}
