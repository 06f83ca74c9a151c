import type { Codes, KeyValue } from '../columns/column.ts';
import { expandCodes } from '../columns/keys.ts';
import type { AxisCodes } from './axes.ts';
import type { GroupTable } from './group-table.ts';
import type { Joins } from './joins.ts';
import type { Segment } from './segment.ts';
import type { Selection } from './select-rows.ts';

/** The group of each row of a segment: one for all, or one a row, where 0 is a row that was not selected. Valid until the next segment is grouped. */
export type Grouping =
  | { readonly kind: 'one'; readonly group: number }
  | { readonly kind: 'rows'; readonly groups: Uint32Array };

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
      const axisCodes = this.#translate(codes, keys.dictionary, segment.advertiserId);
      if (axisCodes.every((code) => code === axisCodes[0])) {
        this.#constant[axis] = axisCodes[0] ?? 0;
      } else {
        this.#constant[axis] = 0;
        varying.push({ axis, codes: expandCodes(keys), axisCodes });
      }
    });
    return varying;
  }

  #translate(codes: AxisCodes, dictionary: readonly KeyValue[], advertiserId: number): Uint32Array {
    const axisCodes = new Uint32Array(dictionary.length);
    for (let i = 0; i < axisCodes.length; i++)
      axisCodes[i] = codes.codeOf(this.#joins, advertiserId, dictionary[i] ?? null);
    return axisCodes;
  }

  /** @returns the packed keys of the rows, one array a word: what is constant, plus each varying axis's bits. */
  #packKeys(varying: readonly Varying[], rows: number): Uint32Array[] {
    const count = this.#table.words;
    while (this.#words.length < count) this.#words.push(new Uint32Array(0));
    this.#words = this.#words.map((word) => (word.length < rows ? new Uint32Array(rows) : word));
    const words = this.#words.slice(0, count).map((word) => word.subarray(0, rows).fill(0));
    this.#constant.forEach((code, axis) => {
      const { word, bits } = this.#table.pack(axis, code);
      if (bits !== 0) addConstant(words[word], bits);
    });
    for (const { axis, codes, axisCodes } of varying) {
      const { word } = this.#table.pack(axis, 0);
      addBits(
        words[word],
        codes,
        axisCodes.map((code) => this.#table.pack(axis, code).bits),
      );
    }
    return words;
  }
}

function addConstant(word: Uint32Array | undefined, bits: number): void {
  for (let row = 0; word !== undefined && row < word.length; row++) word[row] = (word[row] as number) | bits; // row < length
}

function addBits(word: Uint32Array | undefined, codes: Codes, bits: Uint32Array): void {
  if (word === undefined) return;
  // row < both lengths, and every code indexes the dictionary that `bits` was made from
  for (let row = 0; row < word.length; row++)
    word[row] = (word[row] as number) | (bits[codes[row] as number] as number);
}
