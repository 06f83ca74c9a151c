import type { DayEntry, EncodedDay, PartitionRef } from '../catalog/partitions.ts';
import type { BaseColumn } from '../catalog/tables.ts';
import { type Measure, TABLE_KEYS } from '../catalog/tables.ts';
import type { KeyData, MeasureData, UserRows } from '../columns/column.ts';
import { CorruptColumnError } from '../columns/frame.ts';
import { decodeKeys } from '../columns/keys.ts';
import { decodeMeasure } from '../columns/measures.ts';
import { decodeUsers } from '../columns/users.ts';
import type { SegmentSource } from './segment-source.ts';

/** One day of one partition, decoded column by column as it is asked for: a day that a filter empties costs little. */
export class DayColumns {
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

  get rows(): number {
    return this.entry.rows;
  }

  /** @returns the key column; date, advertiser and experience are constants of the partition. */
  keys(base: BaseColumn): KeyData {
    if (base === 'date') return this.#constant(this.date);
    if (base === 'advertiser') return this.#constant(this.ref.advertiserId);
    if (base === 'experience') return this.#constant(this.ref.experience);
    return this.#checked(base, decodeKeys(this.#bytes(base), this.#where(base)));
  }

  measure(name: Measure): MeasureData {
    return this.#checked(name, decodeMeasure(this.#bytes(name), this.#where(name)));
  }

  /** @returns the users of one band, named by its column. */
  users(band: string): UserRows {
    return this.#checked(band, decodeUsers(this.#bytes(band), this.#where(band)));
  }

  #constant(value: string | number): KeyData {
    return { kind: 'constant', rows: this.rows, dictionary: [value] };
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
    return `${this.ref.advertiserId}/${this.ref.experience}/${this.ref.table}/${this.date}/${column}`;
  }
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
