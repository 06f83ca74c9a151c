import type { BaseColumn } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import type { Joins } from '../plan/joins.ts';

/** The codes of the values of a base column, by which rows are grouped. */
export interface ColumnCodes {
  readonly base: BaseColumn;
  /** The number of codes so far; they are 0…size-1. */
  readonly size: number;
  /** @returns the code of each value of a dictionary of the column */
  codesOf(joins: Joins, advertiserId: number, values: readonly KeyValue[]): Uint32Array;
}

/** The codes of the values themselves: two placements of the same name have different codes, which they have not on the axis of a dimension. */
export class BaseCodes implements ColumnCodes {
  readonly base: BaseColumn;
  readonly #codes = new Map<KeyValue, number>();
  #isFrozen = false;

  constructor(base: BaseColumn) {
    this.base = base;
  }

  /** When frozen, one code more than there are values, for all other values. */
  get size(): number {
    return this.#codes.size + (this.#isFrozen ? 1 : 0);
  }

  codesOf(_joins: Joins, _advertiserId: number, values: readonly KeyValue[]): Uint32Array {
    return Uint32Array.from(values, (value) => this.#codeOf(value));
  }

  /** From now on, all values without a code share one code, which no value had before. */
  freeze(): void {
    this.#isFrozen = true;
  }

  #codeOf(value: KeyValue): number {
    let code = this.#codes.get(value);
    if (code === undefined) {
      code = this.#codes.size;
      if (!this.#isFrozen) this.#codes.set(value, code);
    }
    return code;
  }
}
