import type { Codes } from '../columns/column.ts';
import { expandCodes } from '../columns/keys.ts';
import type { AxisCodes } from './axes.ts';
import type { GroupTable } from './group-table.ts';
import type { Joins } from './joins.ts';
import type { DayColumns } from './read-segments.ts';
import type { Selection } from './select-rows.ts';

/** The group of each row of a day: one for all, or one a row, where 0 is a row that was not selected. Valid until the next day is grouped. */
export type Grouping =
  | { readonly kind: 'one'; readonly group: number }
  | { readonly kind: 'rows'; readonly groups: Uint32Array };

/** An axis that differs between the rows of a day. */
interface Varying {
  readonly axis: number;
  readonly codes: Codes;
  /** For each code of the day's dictionary, the axis code. */
  readonly axisCodes: Uint32Array;
  /** Codes of the day's dictionary are in [0, cardinality). */
  readonly cardinality: number;
}

/** A combination of a day's codes is looked up in a plain array when there are at most this many, or twice as many as rows. */
const DENSE_COMBINATIONS = 65_536;

/** Gives the rows of one day after the other their groups. */
export class RowGrouper {
  readonly #axes: readonly AxisCodes[];
  readonly #table: GroupTable;
  readonly #joins: Joins;
  readonly #key: Uint32Array;
  #groups = new Uint32Array(0);
  #groupOfCombination = new Uint32Array(0);

  constructor(axes: readonly AxisCodes[], table: GroupTable, joins: Joins) {
    this.#axes = axes;
    this.#table = table;
    this.#joins = joins;
    this.#key = new Uint32Array(axes.length);
  }

  /** @returns the groups of the day's rows; groups of selected rows are made where they did not exist. */
  group(day: DayColumns, selection: Selection): Grouping {
    if (selection === 'none') return { kind: 'one', group: 0 };
    const varying = this.#readAxes(day);
    if (varying.length === 0 && selection === 'all') return { kind: 'one', group: this.#table.add(this.#key) };
    const selected = selection === 'all' ? undefined : selection;
    if (this.#groups.length < day.rows) this.#groups = new Uint32Array(day.rows);
    const groups = this.#groups.subarray(0, day.rows);
    const combinations = varying.reduce((product, it) => product * it.cardinality, 1);
    if (combinations <= Math.max(DENSE_COMBINATIONS, 2 * day.rows))
      this.#groupDense(varying, combinations, selected, groups);
    else this.#groupHashed(varying, selected, groups);
    return { kind: 'rows', groups };
  }

  /** Sets the key's codes of the axes that are constant all day. @returns the others */
  #readAxes(day: DayColumns): Varying[] {
    const varying: Varying[] = [];
    this.#axes.forEach((codes, axis) => {
      const keys = day.keys(codes.axis.base);
      const axisCodes = Uint32Array.from(keys.dictionary, (value) =>
        codes.codeOf(this.#joins, day.ref.advertiserId, value),
      );
      if (axisCodes.every((code) => code === axisCodes[0])) this.#key[axis] = axisCodes[0] ?? 0;
      else varying.push({ axis, codes: expandCodes(keys), axisCodes, cardinality: axisCodes.length });
    });
    return varying;
  }

  /** One array entry for each combination of the day's codes: a row costs an index computation and a load. */
  #groupDense(
    varying: readonly Varying[],
    combinations: number,
    selected: Uint8Array | undefined,
    groups: Uint32Array,
  ): void {
    combineCodes(varying, groups);
    if (this.#groupOfCombination.length < combinations) this.#groupOfCombination = new Uint32Array(combinations);
    const groupOf = this.#groupOfCombination.fill(0, 0, combinations);
    // rows < groups.length, and every combination < combinations
    for (let row = 0; row < groups.length; row++) {
      if (selected !== undefined && selected[row] === 0) {
        groups[row] = 0;
        continue;
      }
      const combination = groups[row] as number;
      let group = groupOf[combination] as number;
      if (group === 0) {
        group = this.#addRow(varying, row);
        groupOf[combination] = group;
      }
      groups[row] = group;
    }
  }

  #groupHashed(varying: readonly Varying[], selected: Uint8Array | undefined, groups: Uint32Array): void {
    for (let row = 0; row < groups.length; row++) {
      groups[row] = selected !== undefined && selected[row] === 0 ? 0 : this.#addRow(varying, row);
    }
  }

  #addRow(varying: readonly Varying[], row: number): number {
    for (const { axis, codes, axisCodes } of varying) this.#key[axis] = axisCodes[codes[row] ?? 0] ?? 0;
    return this.#table.add(this.#key);
  }
}

/** Writes each row's combination of codes: Σ code × the product of the cardinalities before it. */
function combineCodes(varying: readonly Varying[], combinations: Uint32Array): void {
  combinations.fill(0);
  let stride = 1;
  for (const { codes, cardinality } of varying) {
    for (let row = 0; row < combinations.length; row++) {
      combinations[row] = (combinations[row] as number) + (codes[row] as number) * stride; // row < both lengths
    }
    stride *= cardinality;
  }
}
