import type { BaseColumn, Experience, Measure } from '../../catalog/tables.ts';
import { decodeKeys } from '../../columns/coded-keys.ts';
import type { KeyData, KeyValue, MeasureData, ShopperRows } from '../../columns/column.ts';
import { CorruptColumnError } from '../../columns/frame.ts';
import { decodeColumn } from '../../columns/kept-columns.ts';
import { decodeMeasure, readMeasureHeader } from '../../columns/measures.ts';
import { decodeShoppers } from '../../columns/shopper-rows.ts';
import { PLATFORM_ID } from '../../layout/partitions.ts';

/** The parts of a segment. */
interface SegmentParts {
  /** Unique among the segments that one plan reads; also the segment's name in errors. */
  readonly key: string;
  /** undefined for the rollup of a shard: its rows belong to several advertisers, whose ids are a column. */
  readonly advertiserId: number | undefined;
  /** null only for planned cost whose experience is unknown. */
  readonly experience: Experience | null;
  readonly rows: number;
  /** The date of each row. */
  readonly dates: KeyData;
  /** @returns the encoded column; undefined where it does not exist or was not read */
  readonly bytesOf: (column: string) => Uint8Array | undefined;
  /** @returns whether no day of the segment has the column; absent: each is there */
  readonly lacks?: (column: Measure | BaseColumn) => boolean;
}

/** Fact rows of one run of days, or of one rollup and month. A column is decoded when it is requested, so that a segment without selected rows costs little. */
export class Segment {
  readonly #parts: SegmentParts;

  constructor(parts: SegmentParts) {
    this.#parts = parts;
  }

  get key(): string {
    return this.#parts.key;
  }

  /** The only advertiser; PLATFORM_ID where there are several: such rows have no column whose meaning depends on the advertiser. */
  get advertiserId(): number {
    return this.#parts.advertiserId ?? PLATFORM_ID;
  }

  get experience(): Experience | null {
    return this.#parts.experience;
  }

  get rows(): number {
    return this.#parts.rows;
  }

  /** @returns the key column, null in every row where no day has it; the experience is constant, and usually the advertiser */
  keys(base: BaseColumn): KeyData {
    const { dates, advertiserId, experience } = this.#parts;
    if (base === 'date') return dates;
    if (base === 'advertiser' && advertiserId !== undefined) return constantKeys(this.rows, advertiserId);
    if (base === 'experience') return constantKeys(this.rows, experience);
    return this.#parts.lacks?.(base) ? constantKeys(this.rows, null) : this.#decode(base, decodeKeys);
  }

  /** @returns whether no day of the segment has the measure */
  lacks(name: Measure): boolean {
    return this.#parts.lacks?.(name) === true;
  }

  /** @returns the measure column; 0 in every row where no day has the measure */
  measure(name: Measure): MeasureData {
    if (this.lacks(name)) return { kind: 'constant', rows: this.rows, value: 0, size: 0 };
    return this.#decode(name, decodeMeasure);
  }

  /** @returns the sum of the measure over all rows, without decoding the column: exact if it is below 2^53 */
  sumOf(name: Measure): number {
    return this.lacks(name) ? 0 : this.#decode(name, readMeasureHeader).sum;
  }

  /** @param band the name of the column of one of the three bands of shoppers */
  shoppers(band: string): ShopperRows {
    return this.#decode(band, decodeShoppers);
  }

  #decode<T extends { readonly rows: number }>(column: string, decode: (bytes: Uint8Array, where: string) => T): T {
    const where = `${this.key}/${column}`;
    const bytes = this.#parts.bytesOf(column);
    if (bytes === undefined) throw new CorruptColumnError(where, 'it is missing');
    const data = decodeColumn(bytes, where, decode);
    if (data.rows === this.rows) return data;
    throw new CorruptColumnError(where, `it has ${data.rows} rows instead of ${this.rows}`);
  }
}

/** @returns a key column with the same value in all rows */
export function constantKeys(rows: number, value: KeyValue): KeyData {
  return { kind: 'constant', rows, dictionary: [value] };
}
