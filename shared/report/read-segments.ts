import type { DayEntry, EncodedDay, PartitionRef } from '../catalog/partitions.ts';
import type { BaseColumn } from '../catalog/tables.ts';
import { type Measure, TABLE_KEYS } from '../catalog/tables.ts';
import type { KeyData, MeasureData, UserRows } from '../columns/column.ts';
import { CorruptColumnError } from '../columns/frame.ts';
import { decodeKeys } from '../columns/keys.ts';
import { decodeMeasure, readMeasureSum } from '../columns/measures.ts';
import { decodeUsers } from '../columns/users.ts';
import type { SegmentSource } from './segment-source.ts';

/** Fact rows, decoded column by column as they are asked for: a segment that a filter empties costs little. */
export interface Segment {
  /** Tells it from all other segments of a report. */
  readonly key: string;
  readonly advertiserId: number;
  readonly rows: number;
  /** @returns the key column; advertiser, experience and perhaps date are one value for all rows */
  keys(base: BaseColumn): KeyData;
  measure(name: Measure): MeasureData;
  /** @returns the sum over all rows, without decoding them */
  sumOf(name: Measure): number;
  /** @returns the users of one band, named by its column */
  users(band: string): UserRows;
}

/** One day of one partition. */
export class DayColumns implements Segment {
  readonly ref: PartitionRef;
  readonly entry: DayEntry;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly #columns: ReadonlyMap<string, Uint8Array>;

  constructor(ref: PartitionRef, encoded: EncodedDay) {
    this.ref = ref;
    this.entry = encoded.entry;
    this.date = dateOf(ref, encoded.entry);
    this.#columns = encoded.columns;
  }

  get key(): string {
    return `${this.ref.advertiserId}/${this.ref.experience}/${this.ref.table}/${this.date}`;
  }

  get advertiserId(): number {
    return this.ref.advertiserId;
  }

  get rows(): number {
    return this.entry.rows;
  }

  keys(base: BaseColumn): KeyData {
    if (base === 'date') return constantKeys(this.rows, this.date);
    if (base === 'advertiser') return constantKeys(this.rows, this.ref.advertiserId);
    if (base === 'experience') return constantKeys(this.rows, this.ref.experience);
    return this.#checked(base, decodeKeys(this.#bytes(base), this.#where(base)));
  }

  measure(name: Measure): MeasureData {
    return this.#checked(name, decodeMeasure(this.#bytes(name), this.#where(name)));
  }

  sumOf(name: Measure): number {
    return this.#checked(name, readMeasureSum(this.#bytes(name), this.#where(name))).sum;
  }

  users(band: string): UserRows {
    return this.#checked(band, decodeUsers(this.#bytes(band), this.#where(band)));
  }

  #bytes(column: string): Uint8Array {
    const bytes = this.#columns.get(column);
    if (bytes === undefined) throw new CorruptColumnError(this.#where(column), 'it was not read');
    return bytes;
  }

  #checked<T extends { readonly rows: number }>(column: string, data: T): T {
    if (data.rows === this.rows) return data;
    throw new CorruptColumnError(this.#where(column), `${data.rows} rows where the manifest says ${this.rows}`);
  }

  #where(column: string): string {
    return `${this.key}/${column}`;
  }
}

/** @returns a key column that has the same value in all rows. */
export function constantKeys(rows: number, value: string | number): KeyData {
  return { kind: 'constant', rows, dictionary: [value] };
}

/** What to read of one partition. */
export interface PartitionRead {
  readonly ref: PartitionRef;
  readonly days: readonly DayEntry[];
  readonly columns: readonly string[];
}

/** How many partitions are on their way while one is scanned: enough to hide the latency, few enough to bound the memory. */
const READ_AHEAD = 8;

/** Reads the partitions, the next ones while one is being scanned, and hands over their days in a fixed order: equal reports add up in equal order. */
export async function* readPartitions(
  source: SegmentSource,
  reads: readonly PartitionRead[],
): AsyncGenerator<DayColumns> {
  const pending: Promise<EncodedDay[]>[] = [];
  let next = 0;
  const startMore = () => {
    while (next < reads.length && pending.length < READ_AHEAD) {
      const read = reads[next++];
      if (read === undefined) break;
      const days = Array.fromAsync(source.days(read.ref, read.days, read.columns));
      days.catch(() => {}); // awaited below, in its turn; until then a failure must not count as unhandled
      pending.push(days);
    }
  };
  for (const { ref } of reads) {
    startMore();
    const days = (await pending.shift()) ?? [];
    startMore();
    for (const day of days.sort((a, b) => a.entry.day - b.entry.day)) yield new DayColumns(ref, day);
  }
}

/** @returns `YYYY-MM-DD` of the entry. */
export function dateOf(ref: PartitionRef, entry: DayEntry): string {
  return `${ref.month}-${String(entry.day).padStart(2, '0')}`;
}

/** @returns the bases among `bases` that are stored as columns of the table. */
export function storedColumns(ref: Pick<PartitionRef, 'table'>, bases: Iterable<BaseColumn>): string[] {
  return [...new Set(bases)].filter(
    (base) => base !== 'date' && (TABLE_KEYS[ref.table] as readonly string[]).includes(base),
  );
}
