import type { BaseColumn, Experience, Measure } from '../../catalog/tables.ts';
import type { KeyData, MeasureData, UserRows } from '../../columns/column.ts';
import { CorruptColumnError } from '../../columns/frame.ts';
import { decodeKeys } from '../../columns/keys.ts';
import { decodeMeasure, readMeasureSum } from '../../columns/measures.ts';
import { decodeUsers } from '../../columns/users.ts';

/** What a segment is made of. */
export interface SegmentParts {
  /** Tells it from all other segments of a report, and names it in errors. */
  readonly key: string;
  readonly advertiserId: number;
  readonly experience: Experience;
  readonly rows: number;
  /** The date of every row: one for a day's segment, a column of a month's. */
  readonly dates: KeyData;
  /** @returns the column's bytes, where it was read */
  readonly bytesOf: (column: string) => Uint8Array | undefined;
}

/** Fact rows, decoded column by column as they are asked for: a segment that a filter empties costs little. */
export class Segment {
  readonly #parts: SegmentParts;

  constructor(parts: SegmentParts) {
    this.#parts = parts;
  }

  get key(): string {
    return this.#parts.key;
  }

  get advertiserId(): number {
    return this.#parts.advertiserId;
  }

  get rows(): number {
    return this.#parts.rows;
  }

  /** @returns the key column; advertiser, experience and perhaps date are one value for all rows */
  keys(base: BaseColumn): KeyData {
    const { dates, advertiserId, experience } = this.#parts;
    if (base === 'date') return dates;
    if (base === 'advertiser') return constantKeys(this.rows, advertiserId);
    if (base === 'experience') return constantKeys(this.rows, experience);
    return this.#decode(base, decodeKeys);
  }

  measure(name: Measure): MeasureData {
    return this.#decode(name, decodeMeasure);
  }

  /** @returns the sum over all rows, without decoding them */
  sumOf(name: Measure): number {
    return this.#decode(name, readMeasureSum).sum;
  }

  /** @returns the users of one band, named by its column */
  users(band: string): UserRows {
    return this.#decode(band, decodeUsers);
  }

  #decode<T extends { readonly rows: number }>(column: string, decode: (bytes: Uint8Array, where: string) => T): T {
    const where = `${this.key}/${column}`;
    const bytes = this.#parts.bytesOf(column);
    if (bytes === undefined) throw new CorruptColumnError(where, 'it was not read');
    const data = decode(bytes, where);
    if (data.rows === this.rows) return data;
    throw new CorruptColumnError(where, `${data.rows} rows where there should be ${this.rows}`);
  }
}

/** @returns a key column that has the same value in all rows. */
export function constantKeys(rows: number, value: string | number): KeyData {
  return { kind: 'constant', rows, dictionary: [value] };
}
