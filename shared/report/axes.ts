import type { DimensionName } from '../catalog/dimensions.ts';
import type { KeyValue } from '../columns/column.ts';
import type { Joins } from './joins.ts';
import type { Axis } from './plan-report.ts';

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
  /** What was worked out already, by advertiser and base value. */
  readonly #known = new Map<number, Map<KeyValue, number>>();

  constructor(axis: Axis) {
    this.axis = axis;
    this.#dimensions = axis.dimensions.map(() => new ValueCodes());
  }

  get size(): number {
    return this.#parts.length;
  }

  /** @returns the axis code of rows with this base value. */
  codeOf(joins: Joins, advertiserId: number, base: KeyValue): number {
    return this.codesOf(joins, advertiserId, [base])[0] ?? 0;
  }

  /** @returns for each base value the axis code of its rows. */
  codesOf(joins: Joins, advertiserId: number, bases: readonly KeyValue[]): Uint32Array {
    let known = this.#known.get(advertiserId);
    if (known === undefined) {
      known = new Map();
      this.#known.set(advertiserId, known);
    }
    const codes = new Uint32Array(bases.length);
    for (let i = 0; i < codes.length; i++) {
      const base = bases[i] ?? null;
      let code = known.get(base);
      if (code === undefined) {
        code = this.#make(joins, advertiserId, base);
        known.set(base, code);
      }
      codes[i] = code;
    }
    return codes;
  }

  /** @returns for each axis code the value of `name`, one of the axis's dimensions. */
  valuesOf(name: DimensionName): KeyValue[] {
    const i = this.axis.dimensions.indexOf(name);
    const { values } = this.#dimension(i);
    return this.#parts.map((parts) => values[parts[i] ?? 0] ?? null);
  }

  #make(joins: Joins, advertiserId: number, base: KeyValue): number {
    return this.#combine(
      this.axis.dimensions.map((name, i) => this.#dimension(i).codeOf(joins.valueOf(name, advertiserId, base))),
    );
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
