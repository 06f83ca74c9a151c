import type { Codes } from '../../columns/column.ts';
import { expandCodes } from '../../columns/keys.ts';
import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import type { Joins } from '../plan/joins.ts';
import type { ColumnCodes } from './column-codes.ts';
import type { GroupTable } from './group-table.ts';
import type { Segment } from './segment.ts';
import type { Selection } from './select-rows.ts';

/** The group of each row of a segment: one for all rows, or one per row; group 0 is for rows that were not selected. Valid until the next segment is grouped. */
export type Grouping =
  | { readonly kind: 'one'; readonly group: number }
  | { readonly kind: 'rows'; readonly groups: Uint32Array };

/** @returns the group of each row */
export function groupsOfRows(grouping: Grouping, rows: number): Uint32Array {
  return grouping.kind === 'rows' ? grouping.groups : new Uint32Array(rows).fill(grouping.group);
}

/** An axis that differs between the rows of a segment. */
interface VaryingAxis {
  readonly axis: number;
  /** The dictionary code of each row. */
  readonly codes: Codes;
  /** The axis code of each dictionary code. */
  readonly axisCodes: Uint32Array;
}

/** Assigns the rows of segments to groups. */
export class RowGrouper {
  readonly #axes: readonly ColumnCodes[];
  readonly #table: GroupTable;
  readonly #joins: Joins;
  readonly #deadline: Deadline;
  /** The codes of the axes that are constant within the segment; 0 for the others. */
  readonly #constant: Uint32Array;
  #groups = new Uint32Array(0);
  /** The packed keys, one array per word, reused from segment to segment. */
  #words: Uint32Array[] = [];

  constructor(axes: readonly ColumnCodes[], table: GroupTable, joins: Joins, deadline: Deadline = NO_DEADLINE) {
    this.#axes = axes;
    this.#table = table;
    this.#joins = joins;
    this.#deadline = deadline;
    this.#constant = new Uint32Array(axes.length);
  }

  /** @returns the groups of the segment's rows, after adding those that do not exist yet; 0 for those, where the table is frozen */
  group(segment: Segment, selection: Selection): Grouping {
    if (selection === 'none') return { kind: 'one', group: 0 };
    const varying = this.#readAxes(segment);
    this.#table.fit(this.#axes.map(({ size }) => size));
    if (varying.length === 0 && selection === 'all') return { kind: 'one', group: this.#table.add(this.#constant) };
    if (this.#groups.length < segment.rows) this.#groups = new Uint32Array(segment.rows);
    const groups = this.#groups.subarray(0, segment.rows);
    this.#table.addRows(this.#packKeys(varying, segment.rows), selection === 'all' ? undefined : selection, groups);
    return { kind: 'rows', groups };
  }

  /** Sets the codes of the axes that are constant within the segment. @returns the other axes */
  #readAxes(segment: Segment): VaryingAxis[] {
    const varying: VaryingAxis[] = [];
    this.#axes.forEach((codes, axis) => {
      this.#deadline.check();
      const keys = segment.keys(codes.base);
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

  /** @returns the packed keys of the rows, one array per word: the bits of the constant axes and of each varying axis */
  #packKeys(varying: readonly VaryingAxis[], rows: number): Uint32Array[] {
    const constant = new Uint32Array(this.#table.words);
    this.#constant.forEach((code, axis) => {
      const { word, shift } = this.#table.bitField(axis);
      constant[word] = (constant[word] ?? 0) | (code << shift);
    });
    return Array.from(constant, (bits, word) => {
      const keys = this.#keysOf(word, rows);
      const [first, ...others] = varying.filter(({ axis }) => this.#table.bitField(axis).word === word);
      if (first === undefined) return keys.fill(bits);
      writeBits(keys, first.codes, this.#bitsOf(first, bits));
      for (const other of others) {
        this.#deadline.check();
        addBits(keys, other.codes, this.#bitsOf(other, 0));
      }
      return keys;
    });
  }

  /** @returns the axis's bits in the packed key for each dictionary code, combined with the given constant bits */
  #bitsOf({ axis, axisCodes }: VaryingAxis, constant: number): Uint32Array {
    const { shift } = this.#table.bitField(axis);
    return axisCodes.map((code) => (code << shift) | constant);
  }

  #keysOf(word: number, rows: number): Uint32Array {
    const allocated = this.#words[word];
    const keys = allocated === undefined || allocated.length < rows ? new Uint32Array(rows) : allocated;
    this.#words[word] = keys;
    return keys.subarray(0, rows);
  }
}

// Below, there is one code per key, and every code indexes the dictionary that `bits` was made from.

function writeBits(keys: Uint32Array, codes: Codes, bits: Uint32Array): void {
  for (let row = 0; row < keys.length; row++) keys[row] = bits[codes[row] as number] as number;
}

function addBits(keys: Uint32Array, codes: Codes, bits: Uint32Array): void {
  for (let row = 0; row < keys.length; row++)
    keys[row] = (keys[row] as number) | (bits[codes[row] as number] as number);
}
