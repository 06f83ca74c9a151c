import { expandCodes } from '../../columns/coded-keys.ts';
import type { Codes, KeyData } from '../../columns/column.ts';
import type { Joins } from '../plan/joins.ts';
import type { ColumnCodes } from './axes.ts';
import type { GroupTable } from './group-table.ts';
import { combineRuns, type KeyRuns } from './packed-keys.ts';
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
  readonly keys: KeyData;
  /** The axis code of each dictionary code. */
  readonly axisCodes: Uint32Array;
}

/** Assigns the rows of segments to groups. */
export class RowGrouper {
  readonly #axes: readonly ColumnCodes[];
  readonly #table: GroupTable;
  readonly #joins: Joins;
  /** The codes of the axes that are constant within the segment; 0 for the others. */
  readonly #constant: Uint32Array;
  #groups = new Uint32Array(0);
  /** The packed keys, one array per word, reused from segment to segment. */
  #words: Uint32Array[] = [];

  constructor(axes: readonly ColumnCodes[], table: GroupTable, joins: Joins) {
    this.#axes = axes;
    this.#table = table;
    this.#joins = joins;
    this.#constant = new Uint32Array(axes.length);
  }

  /** @returns the groups of the segment's rows, after adding those that do not exist yet; 0 for those, where the table is frozen */
  group(segment: Segment, selection: Selection): Grouping {
    if (selection === 'none') return { kind: 'one', group: 0 };
    for (const axis of this.#axes) axis.note?.(segment, selection);
    const varying = this.#readAxes(segment);
    this.#table.fit(this.#axes.map(({ size }) => size));
    if (varying.length === 0 && selection === 'all') return { kind: 'one', group: this.#table.add(this.#constant) };
    if (this.#groups.length < segment.rows) this.#groups = new Uint32Array(segment.rows);
    const groups = this.#groups.subarray(0, segment.rows);
    const selected = selection === 'all' ? undefined : selection;
    const [first, second] = varying;
    if (first !== undefined && second === undefined) this.#groupByCode(first, selected, groups);
    else this.#table.addRows(this.#packKeys(varying, segment.rows), selected, groups);
    return { kind: 'rows', groups };
  }

  /** Where one axis varies, the group of a row depends on its code only, and each code that occurs is looked up once. */
  #groupByCode({ axis, keys, axisCodes }: VaryingAxis, selected: Uint8Array | undefined, groups: Uint32Array): void {
    const codes = expandCodes(keys);
    const occurring = findOccurring(codes, axisCodes.length, selected);
    const codesByAxis = Array.from(this.#constant, (code, i) =>
      i === axis ? occurring.map((own) => axisCodes[own] ?? 0) : new Uint32Array(occurring.length).fill(code),
    );
    const groupOf = new Uint32Array(axisCodes.length);
    this.#table.addKeys(codesByAxis, occurring.length).forEach((group, i) => {
      groupOf[occurring[i] ?? 0] = group; // one group per key
    });
    if (selected === undefined) mapCodes(codes, groupOf, groups);
    else mapSelectedCodes(codes, groupOf, selected, groups);
  }

  /** Sets the codes of the axes that are constant within the segment. @returns the other axes */
  #readAxes(segment: Segment): VaryingAxis[] {
    const varying: VaryingAxis[] = [];
    for (const [axis, codes] of this.#axes.entries()) {
      const keys = segment.keys(codes.base);
      const axisCodes = codes.codesOf(this.#joins, segment.advertiserId, keys.dictionary);
      if (axisCodes.every((code) => code === axisCodes[0])) {
        this.#constant[axis] = axisCodes[0] ?? 0;
      } else {
        this.#constant[axis] = 0;
        varying.push({ axis, keys, axisCodes });
      }
    }
    return varying;
  }

  /** @returns the packed keys of the rows, one array per word: the bits of the constant axes and of each varying axis */
  #packKeys(varying: readonly VaryingAxis[], rows: number): Uint32Array[] {
    return Array.from(this.#constantBits(), (bits, word) => {
      const keys = this.#reuseWord(word, rows);
      let runs: KeyRuns = { ends: Uint32Array.of(rows), bits: Uint32Array.of(bits) };
      const others: VaryingAxis[] = [];
      for (const axis of varying.filter(({ axis }) => this.#table.bitField(axis).word === word)) {
        if (axis.keys.kind === 'runs') runs = combineRuns(runs, axis.keys, this.#bitsOf(axis));
        else others.push(axis);
      }
      const [first, ...rest] = others;
      if (first === undefined) fillRuns(keys, runs);
      else writeBits(keys, runs, expandCodes(first.keys), this.#bitsOf(first));
      for (const axis of rest) addBits(keys, expandCodes(axis.keys), this.#bitsOf(axis));
      return keys;
    });
  }

  /** @returns the bits of the constant axes, by word */
  #constantBits(): Uint32Array<ArrayBuffer> {
    const constant = new Uint32Array(this.#table.words);
    this.#constant.forEach((code, axis) => {
      const { word, shift } = this.#table.bitField(axis);
      constant[word] = (constant[word] ?? 0) | (code << shift);
    });
    return constant;
  }

  /** @returns the axis's bits in the packed key for each dictionary code */
  #bitsOf({ axis, axisCodes }: VaryingAxis): Uint32Array {
    const { shift } = this.#table.bitField(axis);
    return axisCodes.map((code) => code << shift);
  }

  /** @returns an array for one word of the packed keys, with the content of its last use */
  #reuseWord(word: number, rows: number): Uint32Array {
    const allocated = this.#words[word];
    const keys = allocated === undefined || allocated.length < rows ? new Uint32Array(rows) : allocated;
    this.#words[word] = keys;
    return keys.subarray(0, rows);
  }
}

// Below, the runs cover all rows, there is one code per row, and every code indexes the dictionary that `bits` or `groupOf` was made from.

function fillRuns(keys: Uint32Array, { ends, bits }: KeyRuns): void {
  for (let run = 0, row = 0; run < ends.length; run++) {
    const end = ends[run] ?? 0;
    keys.fill(bits[run] ?? 0, row, end);
    row = end;
  }
}

function writeBits(keys: Uint32Array, runs: KeyRuns, codes: Codes, bits: Uint32Array): void {
  for (let run = 0, row = 0; run < runs.ends.length; run++) {
    const prefix = runs.bits[run] ?? 0;
    const end = runs.ends[run] ?? 0;
    for (; row < end; row++) keys[row] = prefix | (bits[codes[row] ?? 0] ?? 0);
  }
}

function addBits(keys: Uint32Array, codes: Codes, bits: Uint32Array): void {
  for (let row = 0; row < keys.length; row++) keys[row] = (keys[row] ?? 0) | (bits[codes[row] ?? 0] ?? 0);
}

/** @returns the codes below `size` of the selected rows, ascending; it ends early where all of them occur */
function findOccurring(codes: Codes, size: number, selected: Uint8Array | undefined): Uint32Array {
  const occurs = new Uint8Array(size);
  let missing = size;
  for (let row = 0; row < codes.length && missing > 0; row++) {
    const code = codes[row] ?? 0;
    if (occurs[code] !== 0 || selected?.[row] === 0) continue;
    occurs[code] = 1;
    missing--;
  }
  const occurring = new Uint32Array(size - missing);
  let next = 0;
  for (let code = 0; code < size; code++) if (occurs[code] === 1) occurring[next++] = code;
  return occurring;
}

function mapCodes(codes: Codes, groupOf: Uint32Array, groups: Uint32Array): void {
  for (let row = 0; row < groups.length; row++) groups[row] = groupOf[codes[row] ?? 0] ?? 0;
}

function mapSelectedCodes(codes: Codes, groupOf: Uint32Array, selected: Uint8Array, groups: Uint32Array): void {
  for (let row = 0; row < groups.length; row++) groups[row] = (groupOf[codes[row] ?? 0] ?? 0) * (selected[row] ?? 0);
}
