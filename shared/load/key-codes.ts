import type { KeyColumn } from '../catalog/tables.ts';
import type { KeyValue } from '../columns/column.ts';
import type { ListingFile } from './file-columns.ts';
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

/** Ids that facts may refer to. */
export interface KnownIds {
  readonly listing: ListingFile;
  readonly ids: readonly number[];
  /** Not all ids could be read, and nothing will be loaded: any id passes. */
  readonly isDamaged: boolean;
}

/** Ids that must be known. */
class IdCoder implements KeyCoder {
  readonly #known: KnownIds;
  readonly #codes: ReadonlyMap<Cell, number>;

  constructor(known: KnownIds) {
    this.#known = known;
    this.#codes = new Map(known.ids.map((id, index) => [id, index + 1]));
  }

  encode(cell: Cell): number | Invalid {
    const code = this.#codes.get(cell);
    if (code !== undefined) return code;
    return this.#known.isDamaged ? 1 : new Invalid(`${cell} is not among the ${this.#known.listing}`);
  }

  decode(code: number): KeyValue {
    return this.#known.ids[code - 1] ?? null;
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

/** @returns the coders of one load's fact rows. The code of an ad group or placement is its index among the known ids + 1. */
export function keyCoders(known: {
  readonly adGroups: KnownIds;
  readonly placements: KnownIds;
}): Readonly<Record<StoredKey, KeyCoder>> {
  const texts = new TextCoder();
  return {
    hour: HOUR_CODER,
    ad_group_id: new IdCoder(known.adGroups),
    placement_id: new IdCoder(known.placements),
    division_banner: texts,
    keyword: texts,
    creative_key: texts,
    conversion_source: texts,
    entity_id: DIGITS_CODER,
    purchased_entity_id: DIGITS_CODER,
  };
}
