import type { DimensionTable } from '../../catalog/definitions.ts';
import { PLATFORM_TABLES } from '../../catalog/dimension-rows.ts';
import { type DimensionName, dimensionOf } from '../../catalog/dimensions.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import type { Joins } from '../plan/joins.ts';
import type { Axis } from '../plan/plan-report.ts';

/** Combinations of dimension codes fit a double exactly as long as each side stays below this. */
const CODE_RANGE = 2 ** 26;

/** Gives each distinct value of one dimension a code, in the order of first sight. */
class ValueCodes {
  readonly values: KeyValue[] = [];
  readonly #codes = new Map<KeyValue, number>();

  codeOf(value: KeyValue): number {
    let code = this.#codes.get(value);
    if (code === undefined) {
      code = this.values.length;
      this.#codes.set(value, code);
      this.values.push(value);
    }
    return code;
  }
}

/** Which codes an advertiser's base values have, as far as they were worked out; and the dictionary that was translated last. */
interface Known {
  readonly byBase: Map<KeyValue, number>;
  last: { readonly bases: readonly KeyValue[]; readonly codes: Uint32Array };
}

/**
 * The codes of one axis: one for each distinct combination of values of its dimensions, across all tables and advertisers, so that
 * groups of different fact tables meet under the same code.
 */
export class AxisCodes {
  readonly axis: Axis;
  readonly #dimensions: readonly ValueCodes[];
  readonly #combined = new Map<number, number>();
  /** For each axis code, the code of each dimension's value. */
  readonly #parts: number[][] = [];
  readonly #known = new Map<number, Known>();
  /** Whether the same base value means another thing to each advertiser. */
  readonly #isOwn: boolean;

  constructor(axis: Axis) {
    this.axis = axis;
    this.#dimensions = axis.dimensions.map(() => new ValueCodes());
    this.#isOwn = axis.dimensions.some((name) => {
      const table = dimensionOf(name).join?.table;
      return table !== undefined && !(PLATFORM_TABLES as readonly DimensionTable[]).includes(table);
    });
  }

  get size(): number {
    return this.#parts.length;
  }

  /** @returns the axis code of rows with this base value. */
  codeOf(joins: Joins, advertiserId: number, base: KeyValue): number {
    return this.#find(joins, advertiserId, this.#knownOf(advertiserId), base);
  }

  /**
   * @param bases ascending by `compareKeys`, as dictionaries are; in another order, as in segments of older versions, only slower
   * @returns for each base value the axis code of its rows
   */
  codesOf(joins: Joins, advertiserId: number, bases: readonly KeyValue[]): Uint32Array {
    const known = this.#knownOf(advertiserId);
    const codes = new Uint32Array(bases.length);
    // one day's dictionary is nearly that of the day before: both are ascending, so most codes are found by walking along
    const { bases: last, codes: lastCodes } = known.last;
    let at = 0;
    for (let i = 0; i < codes.length; i++) {
      const base = bases[i] as KeyValue; // i < length
      while (at < last.length && last[at] !== base && compareKeys(last[at] as KeyValue, base) < 0) at++;
      codes[i] = last[at] === base ? (lastCodes[at] as number) : this.#find(joins, advertiserId, known, base);
    }
    known.last = { bases, codes };
    return codes;
  }

  /** @returns for each axis code the value of `name`, one of the axis's dimensions. */
  valuesOf(name: DimensionName): KeyValue[] {
    const i = this.axis.dimensions.indexOf(name);
    const { values } = this.#dimension(i);
    return this.#parts.map((parts) => values[parts[i] ?? 0] ?? null);
  }

  #knownOf(advertiserId: number): Known {
    const owner = this.#isOwn ? advertiserId : 0;
    let known = this.#known.get(owner);
    if (known === undefined) {
      known = { byBase: new Map(), last: { bases: [], codes: new Uint32Array(0) } };
      this.#known.set(owner, known);
    }
    return known;
  }

  #find(joins: Joins, advertiserId: number, { byBase }: Known, base: KeyValue): number {
    let code = byBase.get(base);
    if (code === undefined) {
      const { dimensions } = this.axis;
      code = this.#combine(
        dimensions.map((name, i) => this.#dimension(i).codeOf(joins.valueOf(name, advertiserId, base))),
      );
      byBase.set(base, code);
    }
    return code;
  }

  #dimension(i: number): ValueCodes {
    const codes = this.#dimensions[i];
    if (codes === undefined) throw new RangeError(`the axis ${this.axis.base} has no dimension ${i}`);
    return codes;
  }

  #combine(parts: number[]): number {
    let key = parts[0] ?? 0;
    for (let i = 1; i < parts.length; i++) key = this.#pair(i, key, parts[i] ?? 0);
    let code = this.#combined.get(key);
    if (code === undefined) {
      code = this.#parts.length;
      this.#combined.set(key, code);
      this.#parts.push(parts);
    }
    return code;
  }

  readonly #pairs: Map<number, number>[] = [];

  /** @returns a code for the combination so far and the next part: small again, so that any number of parts combine exactly. */
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
