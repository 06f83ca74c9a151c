import type { KeyColumn } from '../../catalog/tables.ts';
import type { KeyValue } from '../../columns/column.ts';
import type { ListingFile } from '../schema/file-columns.ts';
import type { Cell } from '../schema/value-types.ts';
import { Invalid } from '../schema/value-types.ts';
import type { OwnedTexts } from './owned-texts.ts';

/** The key columns that a row of a partition stores; the date is the partition's. */
export type StoredKey = Exclude<KeyColumn, 'date'>;

/** The ids of a listing, which facts may refer to. */
export interface ListingIds {
  readonly listing: ListingFile;
  readonly ids: readonly number[];
  /** Not all ids could be read. Then nothing will be loaded, and any id is accepted. */
  readonly isDamaged: boolean;
}

/** The ids and texts that fact rows are checked against. Plain data, which threads are sent. */
export interface ReferenceIds {
  /** The platform's zone, an IANA name. */
  readonly timeZone: string;
  readonly adGroups: ListingIds;
  /** The advertiser of each ad group, in the order of the ids; 0 if it is unknown, and nothing will be loaded. */
  readonly owners: readonly number[];
  readonly placements: ListingIds;
  readonly creatives: OwnedTexts;
  readonly products: OwnedTexts;
}

/** @returns the code of a value, an integer ≥ 1, or why the value is not allowed. In every column, 0 is the code of an absent value. */
export type EncodeKey = (cell: Cell) => number | Invalid;

/** @param code ≥ 1 */
export type DecodeKey = (code: number) => KeyValue;

/** JavaScript maps hold 2^24 entries. */
const MAX_TEXTS = 16_000_000;

/** The codes of texts; the first text has code 1. */
export class TextCodes {
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [];

  /** @throws Error when there are more distinct texts than a load can have */
  encode(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length >= MAX_TEXTS) {
      throw new Error(`more than ${MAX_TEXTS.toLocaleString('en-US')} distinct texts in one load: split the folder`);
    }
    const code = this.#texts.push(text);
    this.#codes.set(text, code);
    return code;
  }

  decode(code: number): string | null {
    return this.#texts[code - 1] ?? null;
  }
}

/** @returns how each stored key is coded: ad groups and placements by their index among the ids, texts by `texts` */
export function keyEncoders(known: ReferenceIds, texts: TextCodes): Readonly<Record<StoredKey, EncodeKey>> {
  const text: EncodeKey = (cell) => texts.encode(String(cell));
  return {
    hour: (cell) => Number(cell) + 1,
    ad_group_id: encodeIds(known.adGroups),
    placement_id: encodeIds(known.placements),
    division_banner: text,
    keyword: text,
    creative_key: text,
    conversion_source: text,
    entity_id: text,
    purchased_entity_id: text,
  };
}

/** @returns the inverse of `keyEncoders` */
export function keyDecoders(known: ReferenceIds, texts: TextCodes): Readonly<Record<StoredKey, DecodeKey>> {
  const text: DecodeKey = (code) => texts.decode(code);
  return {
    hour: (code) => code - 1,
    ad_group_id: (code) => known.adGroups.ids[code - 1] ?? null,
    placement_id: (code) => known.placements.ids[code - 1] ?? null,
    division_banner: text,
    keyword: text,
    creative_key: text,
    conversion_source: text,
    entity_id: text,
    purchased_entity_id: text,
  };
}

function encodeIds({ listing, ids, isDamaged }: ListingIds): EncodeKey {
  const codes = new Map<Cell, number>(ids.map((id, index) => [id, index + 1]));
  return (cell) => codes.get(cell) ?? (isDamaged ? 1 : new Invalid(`${cell} is not among the ${listing}`));
}
