import type { Codes } from '../../columns/column.ts';
import { expandCodes } from '../../columns/keys.ts';
import type { Joins } from '../plan/joins.ts';
import type { AxisCodes } from './axes.ts';
import type { GroupTable } from './group-table.ts';
import type { Segment } from './segment.ts';
import type { Selection } from './select-rows.ts';

/** The group of each row of a segment: one for all, or one a row, where 0 is a row that was not selected. Valid until the next segment is grouped. */
export type Grouping =
  | { readonly kind: 'one'; readonly group: number }
  | { readonly kind: 'rows'; readonly groups: Uint32Array };

/** @returns the group of each row */
export function groupsOfRows(grouping: Grouping, rows: number): Uint32Array {
  return grouping.kind === 'rows' ? grouping.groups : new Uint32Array(rows).fill(grouping.group);
}

/** An axis that differs between the rows of a day: for each code of the day's dictionary, the axis code. */
interface Varying {
  readonly axis: number;
  readonly codes: Codes;
  readonly axisCodes: Uint32Array;
}

/** Gives the rows of one day after the other their groups. */
export class RowGrouper {
  readonly #axes: readonly AxisCodes[];
  readonly #table: GroupTable;
  readonly #joins: Joins;
  /** The codes of the axes that are constant all segment. */
  readonly #constant: Uint32Array;
  #groups = new Uint32Array(0);
  #words: Uint32Array[] = [];

  constructor(axes: readonly AxisCodes[], table: GroupTable, joins: Joins) {
    this.#axes = axes;
    this.#table = table;
    this.#joins = joins;
    this.#constant = new Uint32Array(axes.length);
  }

  /** @returns the groups of the day's rows; groups of selected rows are made where they did not exist. */
  group(segment: Segment, selection: Selection): Grouping {
    if (selection === 'none') return { kind: 'one', group: 0 };
    const varying = this.#readAxes(segment);
    this.#table.fit(this.#axes.map((it) => it.size));
    if (varying.length === 0 && selection === 'all') return { kind: 'one', group: this.#table.add(this.#constant) };
    if (this.#groups.length < segment.rows) this.#groups = new Uint32Array(segment.rows);
    const groups = this.#groups.subarray(0, segment.rows);
    this.#table.addRows(this.#packKeys(varying, segment.rows), selection === 'all' ? undefined : selection, groups);
    return { kind: 'rows', groups };
  }

  /** Sets the codes of the axes that are constant all segment. @returns the others */
  #readAxes(segment: Segment): Varying[] {
    const varying: Varying[] = [];
    this.#axes.forEach((codes, axis) => {
      const keys = segment.keys(codes.axis.base);
      const axisCodes = codes.codesOf(this.#joins, segment.advertiserId, keys.dictionary);
      if (axisCodes.every((code) => code === axisCodes[0])) {
        this.#constant[axis] = axisCodes[0] ?? 0;
      } else {
        this.#constant[axis] = 0;
        varying.push({ axis, codes: expandCodes(keys), axisCodes });
      }
    });
    return varying;
  }

  /** @returns the packed keys of the rows, one array a word: what is constant, plus each varying axis's bits. */
  #packKeys(varying: readonly Varying[], rows: number): Uint32Array[] {
    const constant = new Uint32Array(this.#table.words);
    this.#constant.forEach((code, axis) => {
      const { word, shift } = this.#table.place(axis);
      constant[word] = (constant[word] ?? 0) | (code << shift);
    });
    return Array.from(constant, (bits, word) => {
      const keys = this.#keysOf(word, rows);
      const [first, ...others] = varying.filter(({ axis }) => this.#table.place(axis).word === word);
      if (first === undefined) return keys.fill(bits);
      writeBits(keys, first.codes, this.#bitsOf(first, bits));
      for (const other of others) addBits(keys, other.codes, this.#bitsOf(other, 0));
      return keys;
    });
  }

  /** @returns for each code of the day's dictionary its bits of the packed key, and the constant ones. */
  #bitsOf({ axis, axisCodes }: Varying, constant: number): Uint32Array {
    const { shift } = this.#table.place(axis);
    return axisCodes.map((code) => (code << shift) | constant);
  }

  /** Words are kept from day to day. */
  #keysOf(word: number, rows: number): Uint32Array {
    const known = this.#words[word];
    const keys = known === undefined || known.length < rows ? new Uint32Array(rows) : known;
    this.#words[word] = keys;
    return keys.subarray(0, rows);
  }
}

// Every code indexes the dictionary that `bits` was made from, and there is one for each key.

function writeBits(keys: Uint32Array, codes: Codes, bits: Uint32Array): void {
  for (let row = 0; row < keys.length; row++) keys[row] = bits[codes[row] as number] as number;
}

function addBits(keys: Uint32Array, codes: Codes, bits: Uint32Array): void {
  for (let row = 0; row < keys.length; row++)
    keys[row] = (keys[row] as number) | (bits[codes[row] as number] as number);
}
