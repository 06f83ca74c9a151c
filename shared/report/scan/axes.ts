import type { DimensionName } from '../../catalog/dimensions.ts';
import type { BaseColumn } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import { hasBaseValues, type Joins } from '../plan/joins.ts';
import { NAMES } from '../plan/names.ts';
import { type Axis, dependsOnAdvertiser } from '../plan/plan-report.ts';
import { MAX_VALUES, rejectAbove } from '../query/too-expensive.ts';
import type { Segment } from './segment.ts';
import { occurringValues, type Selection } from './select-rows.ts';

/** The codes of the values of a base column, by which rows are grouped. */
export interface ColumnCodes {
  readonly base: BaseColumn;
  /** The number of codes so far; they are 0…size-1. */
  readonly size: number;
  /** @returns the code of each value of a dictionary of the column */
  codesOf(joins: Joins, advertiserId: number, values: readonly KeyValue[]): Uint32Array;
  /** Notes the values that selected rows of a segment have. */
  note?(segment: Segment, selection: Selection): void;
}

/** A pair of codes is an exact double as long as each code is below this. */
const CODE_RANGE = 2 ** 26;

/** @throws ApiError 422 if they are too many */
function rejectValues(count: number): void {
  rejectAbove(MAX_VALUES, count, 'distinct values of a dimension');
}

/** Gives each distinct value of one dimension a code: consecutive integers from 0. */
class ValueCodes {
  readonly values: KeyValue[] = [];
  readonly #codes = new Map<KeyValue, number>();

  /** @returns the code of the value, undefined if it has none yet */
  find(value: KeyValue): number | undefined {
    return this.#codes.get(value);
  }

  codeOf(value: KeyValue): number {
    return this.find(value) ?? this.#add(value);
  }

  #add(value: KeyValue): number {
    const code = this.values.length;
    this.#codes.set(value, code);
    rejectValues(this.values.push(value));
    return code;
  }
}

/** A dictionary and the axis codes of its values. */
interface TranslatedDictionary {
  /** The advertiser that the base values belong to; 0 where they have the same meaning for all advertisers. */
  readonly owner: number;
  readonly bases: readonly KeyValue[];
  readonly codes: Uint32Array;
}

/**
 * The codes of one axis: one for each distinct combination of values of its dimensions. All fact tables and advertisers share the codes, so that
 * equal values of different tables become one group.
 */
export class AxisCodes implements ColumnCodes {
  readonly axis: Axis;
  readonly #dimensions: readonly ValueCodes[];
  /** By level, the codes of pairs of codes. */
  readonly #pairs: Map<number, number>[] = [];
  /** For each dimension, the code of its value for each axis code. */
  readonly #parts: readonly number[][];
  /** Whether the axis has a single dimension whose values are the base values. */
  readonly #isPlain: boolean;
  #count = 0;
  /** The axis codes of base values by owner, as in `TranslatedDictionary`; the maps are empty where the axis is plain. */
  readonly #codesByBase = new Map<number, Map<KeyValue, number>>();
  /** Facts are scanned by advertiser and day, so that the next dictionary is nearly the same. */
  #last: TranslatedDictionary = { owner: 0, bases: [], codes: new Uint32Array(0) };
  /** The number of base values in `#codesByBase`. */
  #bases = 0;
  readonly #isPerAdvertiser: boolean;
  readonly #hasNames: boolean;
  /** By owner. */
  readonly #noted = new Map<number, Set<KeyValue>>();
  #isFrozen = false;

  constructor(axis: Axis) {
    this.axis = axis;
    this.#dimensions = axis.dimensions.map(() => new ValueCodes());
    this.#parts = axis.dimensions.map(() => []);
    this.#isPlain = axis.dimensions.length === 1 && axis.dimensions.every(hasBaseValues);
    this.#hasNames = axis.dimensions.some((name) => NAMES.has(name));
    this.#isPerAdvertiser = axis.dimensions.some(dependsOnAdvertiser);
  }

  get base(): BaseColumn {
    return this.axis.base;
  }

  /** The number of codes so far; they are 0…size-1. When frozen, there is one more, for all other base values. */
  get size(): number {
    return this.#count + (this.#isFrozen ? 1 : 0);
  }

  /** From now on, all base values without a code share one code, which no value has. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** @returns the axis code of rows with this base value */
  codeOf(joins: Joins, advertiserId: number, base: KeyValue): number {
    return this.#find(joins, advertiserId, this.#codesOfOwner(this.#ownerOf(advertiserId)), base);
  }

  /**
   * @param bases ascending by `compareKeys`, as dictionaries are
   * @returns the axis code of each base value
   */
  codesOf(joins: Joins, advertiserId: number, bases: readonly KeyValue[]): Uint32Array {
    const owner = this.#ownerOf(advertiserId);
    const codesByBase = this.#codesOfOwner(owner);
    const codes = new Uint32Array(bases.length);
    // Dictionaries of consecutive days are nearly equal and both ascending, so one pass over both finds most codes without a look-up.
    const last = this.#last.owner === owner ? this.#last.bases : [];
    const lastCodes = this.#last.codes;
    let at = 0;
    for (let i = 0; i < codes.length; i++) {
      const base = bases[i] as KeyValue; // i < length
      while (at < last.length && last[at] !== base && compareKeys(last[at] as KeyValue, base) < 0) at++;
      codes[i] = last[at] === base ? (lastCodes[at++] ?? 0) : this.#find(joins, advertiserId, codesByBase, base);
    }
    this.#last = { owner, bases, codes };
    return codes;
  }

  /** @returns the value of `name`, one of the axis's dimensions, for each axis code */
  valuesOf(name: DimensionName): KeyValue[] {
    const i = this.axis.dimensions.indexOf(name);
    const { values } = this.#dimension(i);
    return (this.#parts[i] ?? []).map((part) => values[part] ?? null);
  }

  note(segment: Segment, selection: Selection): void {
    if (!this.#hasNames || this.#isFrozen) return;
    const owner = this.#ownerOf(segment.advertiserId);
    const noted = this.#noted.get(owner) ?? new Set();
    this.#noted.set(owner, noted);
    const keys = segment.keys(this.base);
    if (keys.dictionary.every((base) => noted.has(base))) return; // as in most days after the first
    for (const base of occurringValues(keys, selection)) noted.add(base);
  }

  /** Yields the base values that rows have, and the advertiser that they belong to (0: any); none where the axis has no names. */
  *bases(): Generator<readonly [owner: number, base: KeyValue]> {
    for (const [owner, noted] of this.#noted) for (const base of noted) yield [owner, base];
  }

  #ownerOf(advertiserId: number): number {
    return this.#isPerAdvertiser ? advertiserId : 0;
  }

  #codesOfOwner(owner: number): Map<KeyValue, number> {
    let codes = this.#codesByBase.get(owner);
    if (codes === undefined) {
      codes = new Map();
      this.#codesByBase.set(owner, codes);
    }
    return codes;
  }

  #find(joins: Joins, advertiserId: number, codesByBase: Map<KeyValue, number>, base: KeyValue): number {
    if (this.#isFrozen) return (this.#isPlain ? this.#dimension(0).find(base) : codesByBase.get(base)) ?? this.#count;
    if (this.#isPlain) return this.#combine([this.#dimension(0).codeOf(base)]); // the code of the value is the axis code
    let code = codesByBase.get(base);
    if (code === undefined) {
      const { dimensions } = this.axis;
      code = this.#combine(
        dimensions.map((name, i) => this.#dimension(i).codeOf(joins.valueOf(name, advertiserId, base))),
      );
      codesByBase.set(base, code);
      rejectValues(++this.#bases);
    }
    return code;
  }

  #dimension(i: number): ValueCodes {
    const codes = this.#dimensions[i];
    if (codes === undefined) throw new RangeError(`the axis ${this.axis.base} has no dimension ${i}`);
    return codes;
  }

  #combine(parts: readonly number[]): number {
    let code = parts[0] ?? 0;
    for (let i = 1; i < parts.length; i++) code = this.#pair(i, code, parts[i] ?? 0);
    if (code < this.#count) return code;
    for (const [i, part] of parts.entries()) this.#parts[i]?.push(part);
    this.#count += 1;
    return code;
  }

  /** @returns a code for the combination of `left` and `right`: again consecutive integers from 0 */
  #pair(level: number, left: number, right: number): number {
    let pairs = this.#pairs[level];
    if (pairs === undefined) {
      pairs = new Map();
      this.#pairs[level] = pairs;
    }
    const key = left * CODE_RANGE + right;
    let code = pairs.get(key);
    if (code === undefined) {
      code = pairs.size;
      pairs.set(key, code);
    }
    return code;
  }
}

/** The codes of the values themselves: two placements of the same name have different codes here, but the same one on the axis of their name. */
export class BaseCodes implements ColumnCodes {
  readonly base: BaseColumn;
  readonly #codes = new ValueCodes();
  #isFrozen = false;

  constructor(base: BaseColumn) {
    this.base = base;
  }

  /** When frozen, one code more than there are values, for all other values. */
  get size(): number {
    return this.#codes.values.length + (this.#isFrozen ? 1 : 0);
  }

  codesOf(_joins: Joins, _advertiserId: number, values: readonly KeyValue[]): Uint32Array {
    if (!this.#isFrozen) return Uint32Array.from(values, (value) => this.#codes.codeOf(value));
    return Uint32Array.from(values, (value) => this.#codes.find(value) ?? this.#codes.values.length);
  }

  /** From now on, all values without a code share one code, which no value had before. */
  freeze(): void {
    this.#isFrozen = true;
  }
}
