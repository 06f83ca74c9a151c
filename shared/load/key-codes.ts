import type { KeyColumn } from '../catalog/tables.ts';
import type { KeyValue } from '../columns/column.ts';
import { Invalid } from './parse-value.ts';
import type { Cell } from './value-types.ts';

/** Turns the values of a key column into whole numbers ≥ 1 and back; 0 stands for no value in every column. */
export interface KeyCoder {
  /** @returns the code, or why the value is not allowed. */
  encode(cell: Cell): number | Invalid;
  /** @param code ≥ 1 */
  decode(code: number): KeyValue;
}

/** JavaScript maps hold 2^24 entries. */
const MAX_TEXTS = 16_000_000;

/** All texts of a load's key columns, each kept once. */
class TextCoder implements KeyCoder {
  readonly #codes = new Map<Cell, number>();
  readonly #texts: string[] = [];

  encode(cell: Cell): number | Invalid {
    const known = this.#codes.get(cell);
    if (known !== undefined) return known;
    if (this.#texts.length >= MAX_TEXTS)
      return new Invalid(
        `is beyond the ${MAX_TEXTS.toLocaleString('en-US')} distinct texts of one load; split the folder`,
      );
    const code = this.#texts.push(String(cell));
    this.#codes.set(cell, code);
    return code;
  }

  decode(code: number): KeyValue {
    return this.#texts[code - 1] ?? null;
  }
}

/** Ids that must be known. */
class IdCoder implements KeyCoder {
  readonly #codes: ReadonlyMap<Cell, number>;
  readonly #ids: readonly number[];
  readonly #listing: string;

  constructor(ids: readonly number[], listing: string) {
    this.#ids = ids;
    this.#codes = new Map(ids.map((id, index) => [id, index + 1]));
    this.#listing = listing;
  }

  encode(cell: Cell): number | Invalid {
    return this.#codes.get(cell) ?? new Invalid(`${cell} is not among the ${this.#listing}`);
  }

  decode(code: number): KeyValue {
    return this.#ids[code - 1] ?? null;
  }
}

const HOUR_CODER: KeyCoder = { encode: (cell) => Number(cell) + 1, decode: (code) => code - 1 };

const DIGITS = 13;
const DIGITS_CODER: KeyCoder = {
  encode: (cell) => Number(cell) + 1,
  decode: (code) => String(code - 1).padStart(DIGITS, '0'),
};

/** The key columns that a row of a partition stores; the date is the partition's. */
export type StoredKey = Exclude<KeyColumn, 'date'>;

/** @returns the coders of one load's fact rows, given the ids that facts may refer to: an ad group's code is its index in `adGroupIds` + 1. */
export function keyCoders(
  adGroupIds: readonly number[],
  placementIds: readonly number[],
): Readonly<Record<StoredKey, KeyCoder>> {
  const texts = new TextCoder();
  return {
    hour: HOUR_CODER,
    ad_group_id: new IdCoder(adGroupIds, 'ad groups'),
    placement_id: new IdCoder(placementIds, 'placements'),
    division_banner: texts,
    keyword: texts,
    creative_key: texts,
    conversion_source: texts,
    entity_id: DIGITS_CODER,
    purchased_entity_id: DIGITS_CODER,
  };
}
