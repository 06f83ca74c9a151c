import { expandCodes } from '../../columns/coded-keys.ts';
import type { KeyValue } from '../../columns/column.ts';
import type { Joins } from '../plan/joins.ts';
import { type MarketReads, SLICE_BASES } from '../plan/plan-market.ts';
import { BaseCodes } from '../scan/axes.ts';
import { groupsOfRows, RowGrouper } from '../scan/group-rows.ts';
import { GroupTable } from '../scan/group-table.ts';
import type { Segment } from '../scan/segment.ts';
import type { Selection } from '../scan/select-rows.ts';

/** Rows of a segment, and the slice of each: a number from 1. */
interface SliceRows {
  readonly rows: Uint32Array;
  readonly slices: Uint32Array;
}

/** In place of an hour: the slice has rows without hours, or with hours, on the date. */
const [WHOLE, TIMED] = ['whole', 'timed'];

/**
 * The cells in which the caller's advertisers have impressions, and the report's eligible slices: those in which its advertisers have impressions
 * under its filters. First add the delivery of the report's advertisers, then of the caller's others, then look up rows of market.
 */
export class OwnCells {
  readonly #joins: Joins;
  readonly #sliceCodes: readonly BaseCodes[];
  readonly #slices: GroupTable;
  readonly #sliceGrouper: RowGrouper;
  #eligible = new Uint8Array(1024);
  #hasEligible = false;

  readonly #dates: BaseCodes;
  readonly #hours: BaseCodes;
  /** By date, hour and slice. */
  readonly #cells: GroupTable;
  /** By cell, how many of the caller's advertisers have impressions in it, and which of them was added last. */
  #advertisers = new Uint32Array(1024);
  #lastAdvertiser = new Float64Array(1024);
  /** By cell, 1 where a market row of the cell counts. */
  #counted = new Uint8Array(1024);

  constructor(joins: Joins) {
    this.#joins = joins;
    this.#sliceCodes = SLICE_BASES.map((base) => new BaseCodes(base));
    this.#dates = new BaseCodes('date');
    this.#hours = new BaseCodes('hour');
    this.#slices = new GroupTable(SLICE_BASES.length);
    this.#cells = new GroupTable(3);
    this.#sliceGrouper = new RowGrouper(this.#sliceCodes, this.#slices, joins);
  }

  get hasEligibleSlices(): boolean {
    return this.#hasEligible;
  }

  /** Whether a market row of the cell counts, by cell. */
  get counted(): Uint8Array {
    return this.#counted;
  }

  /** Adds the slices of the selected rows. @returns the selected rows with their slices */
  addSlices(segment: Segment, selection: Selection): SliceRows {
    const slices = groupsOfRows(this.#sliceGrouper.group(segment, selection), segment.rows);
    if (this.#slices.size >= this.#eligible.length) this.#eligible = enlarge(this.#eligible, this.#slices.size + 1);
    return pickRows(slices, (slice) => slice !== 0);
  }

  makeEligible(slice: number): void {
    this.#eligible[slice] = 1;
    this.#hasEligible = true;
  }

  /** No slice is added and none becomes eligible from now on. */
  closeSlices(): void {
    this.#slices.freeze();
    for (const codes of this.#sliceCodes) codes.freeze();
  }

  /** @returns those of the selected rows that are in eligible slices; call it after `closeSlices` */
  inEligibleSlices(segment: Segment, selection: Selection): SliceRows {
    const slices = groupsOfRows(this.#sliceGrouper.group(segment, selection), segment.rows);
    return pickRows(slices, (slice) => this.#eligible[slice] === 1); // 0 is no slice and never eligible
  }

  /**
   * Adds rows with impressions of one of the caller's advertisers. Call it once per advertiser and day.
   * @returns the cell of each of the rows
   */
  add(segment: Segment, rows: SliceRows): Uint32Array {
    const cells = this.#cellsOf(segment, rows);
    if (this.#cells.size >= this.#counted.length) {
      const size = this.#cells.size + 1;
      this.#advertisers = enlarge(this.#advertisers, size);
      this.#lastAdvertiser = enlarge(this.#lastAdvertiser, size);
      this.#counted = enlarge(this.#counted, size);
    }
    const { advertiserId } = segment;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] ?? 0;
      if (this.#lastAdvertiser[cell] === advertiserId) continue;
      this.#lastAdvertiser[cell] = advertiserId;
      this.#advertisers[cell] = (this.#advertisers[cell] ?? 0) + 1;
    }
    return cells;
  }

  /**
   * Adds days of slices to those with hours, or without. An advertiser without hours could be one of those in an hour.
   * @param rows with impressions, in any hour
   */
  mark(segment: Segment, rows: SliceRows): void {
    this.#cellsOf(segment, rows, (hour) => (hour === null ? WHOLE : TIMED));
  }

  /** No cell is added from now on. */
  closeCells(): void {
    this.#cells.freeze();
    this.#dates.freeze();
    this.#hours.freeze();
  }

  /**
   * Finds the rows of market that count, and marks their cells; call it after `closeCells`.
   * @param rows of market, in eligible slices
   * @param advertisers the number of advertisers in each row of the segment
   * @param hasWholeDays whether to leave out rows with hours in days of slices without, and the reverse
   * @param minOthers how many of them must not be the caller's for the row to count; 0 counts all rows
   * @returns the rows that count
   */
  selectCounted(
    segment: Segment,
    rows: SliceRows,
    advertisers: ArrayLike<number>,
    { minOthers, hasWholeDays }: Pick<MarketReads, 'minOthers' | 'hasWholeDays'>,
  ): Selection {
    const cells = this.#cellsOf(segment, rows);
    const mixed = hasWholeDays && this.#cellsOf(segment, rows, (hour) => (hour === null ? TIMED : WHOLE));
    const selected = new Uint8Array(segment.rows);
    let count = 0;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i] ?? 0; // there is a cell for each of the rows; 0 where the caller has no impressions
      const row = rows.rows[i] ?? 0;
      if (mixed && mixed[i] !== 0) continue;
      const own = cell === 0 ? 0 : (this.#advertisers[cell] ?? 0);
      if (minOthers > 0 && (advertisers[row] ?? 0) - own < minOthers) continue;
      selected[row] = 1;
      count++;
      if (cell !== 0) this.#counted[cell] = 1;
    }
    return count === 0 ? 'none' : selected;
  }

  /** @returns the cell of each of the rows of a day */
  #cellsOf(segment: Segment, { rows, slices }: SliceRows, hourOf = (hour: KeyValue) => hour): Uint32Array {
    const codesOf = (codes: BaseCodes, base: 'date' | 'hour') => {
      const keys = segment.keys(base);
      const ownCodes = codes.codesOf(
        this.#joins,
        segment.advertiserId,
        base === 'hour' ? keys.dictionary.map(hourOf) : keys.dictionary,
      );
      const codeOf = expandCodes(keys);
      return rows.map((row) => ownCodes[codeOf[row] ?? 0] ?? 0);
    };
    const [dates, hours] = [codesOf(this.#dates, 'date'), codesOf(this.#hours, 'hour')];
    this.#cells.fit([this.#dates.size, this.#hours.size, this.#slices.size + 1]);
    return this.#cells.addKeys([dates, hours, slices], rows.length);
  }
}

/** @returns the rows whose slice passes */
function pickRows(sliceOf: Uint32Array, passes: (slice: number) => boolean): SliceRows {
  const rows = new Uint32Array(sliceOf.length);
  const slices = new Uint32Array(sliceOf.length);
  let count = 0;
  for (let row = 0; row < sliceOf.length; row++) {
    const slice = sliceOf[row] ?? 0;
    if (!passes(slice)) continue;
    rows[count] = row;
    slices[count++] = slice;
  }
  return { rows: rows.subarray(0, count), slices: slices.subarray(0, count) };
}

/** @returns a copy with room for at least `size` values, and for twice as many as before */
function enlarge<T extends Uint8Array | Uint32Array | Float64Array>(values: T, size: number): T {
  const Values = values.constructor as new (length: number) => T; // one of the three constructors, which take a length
  const larger = new Values(Math.max(size, 2 * values.length));
  larger.set(values);
  return larger;
}
