import type { Measure } from '../../catalog/tables.ts';
import { ByteWriter } from '../../columns/bytes.ts';
import type { KeyValue, UserData } from '../../columns/column.ts';
import type { CodedKeys } from '../../columns/keys.ts';
import type { CodedFacts, StoredColumns } from './code-facts.ts';
import type { UserHashes } from './hash-users.ts';
import type { DecodeKey, StoredKey } from './key-codes.ts';
import { writeBlock } from './write-block.ts';

/** The rows of a section as blocks, each with rows of one day of an advertiser. Plain data with a single buffer, which threads transfer. */
export interface FactBlocks {
  readonly rows: number;
  /** Per block: its advertiser (0 for market), day number and number of rows, and where it ends in `bytes`. */
  readonly advertisers: readonly number[];
  readonly days: readonly number[];
  readonly counts: readonly number[];
  readonly ends: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Greater than any day number, so that an advertiser's index and a day make one map key. */
const DAYS = 2 ** 22;

/** Rows divided into parts by advertiser and day: the rows of part p are `order[ends[p-1]…ends[p])`, in their first order. */
interface Sorted {
  readonly advertisers: number[];
  readonly days: number[];
  readonly order: Uint32Array;
  readonly ends: Uint32Array;
}

/** Sorts coded rows of one fact table into the days they belong to. */
export class FactSorter {
  readonly #shape: StoredColumns;
  readonly #decoders: Readonly<Record<StoredKey, DecodeKey>>;
  /** The distinct advertisers; rows of market belong to the first, 0. */
  readonly #advertisers: readonly number[];
  /** By ad group code, the index of the advertiser. Its id may be as large as 2^53 and would not fit into a map key with the day. */
  readonly #ownerIndex: Uint32Array;
  /** By a column's code, 1 + the code in the block; 0 if the block has none yet, and everywhere between blocks. */
  #own = new Uint32Array(1024);

  /** @param owners advertiser of each ad group, by ad group code - 1 */
  constructor(shape: StoredColumns, decoders: Readonly<Record<StoredKey, DecodeKey>>, owners: readonly number[]) {
    this.#shape = shape;
    this.#decoders = decoders;
    this.#advertisers = [...new Set([0, ...owners])];
    const indexOf = new Map(this.#advertisers.map((id, index) => [id, index]));
    this.#ownerIndex = Uint32Array.from([0, ...owners], (id) => indexOf.get(id) ?? 0);
  }

  sort(facts: CodedFacts): FactBlocks {
    const { rows } = facts;
    const { advertisers, days, order, ends: lasts } = this.#sortRows(facts);
    const writer = new ByteWriter();
    const counts: number[] = [];
    const ends: number[] = [];
    let from = 0;
    for (const to of lasts) {
      this.#write(writer, facts, order.subarray(from, to));
      counts.push(to - from);
      ends.push(writer.finish().length);
      from = to;
    }
    return { rows, advertisers, days, counts, ends, bytes: new Uint8Array(writer.finish()) };
  }

  /** A counting sort, which is stable. */
  #sortRows({ rows, days, columns }: CodedFacts): Sorted {
    const adGroups = columns[this.#shape.keys.indexOf('ad_group_id')];
    const partOf = new Uint32Array(rows);
    const found = new Map<number, number>();
    const sorted = { advertisers: [] as number[], days: [] as number[] };
    const counts: number[] = [];
    let last = -1;
    let part = 0;
    for (let row = 0; row < rows; row++) {
      const day = days[row] ?? 0;
      const owner = adGroups === undefined ? 0 : (this.#ownerIndex[adGroups[row] ?? 0] ?? 0);
      const key = owner * DAYS + day;
      if (key !== last) {
        last = key;
        part = found.get(key) ?? found.size;
        if (part === found.size) {
          found.set(key, part);
          sorted.advertisers.push(this.#advertisers[owner] ?? 0);
          sorted.days.push(day);
          counts.push(0);
        }
      }
      partOf[row] = part;
      counts[part] = (counts[part] ?? 0) + 1;
    }
    const ends = new Uint32Array(counts.length);
    for (let i = 1; i < ends.length; i++) ends[i] = (ends[i - 1] ?? 0) + (counts[i - 1] ?? 0);
    const order = new Uint32Array(rows);
    for (let row = 0; row < rows; row++) {
      const of = partOf[row] ?? 0;
      const at = ends[of] ?? 0;
      order[at] = row;
      ends[of] = at + 1; // moves from the beginning of the part to its end
    }
    return { ...sorted, order, ends };
  }

  #write(writer: ByteWriter, { columns, users }: CodedFacts, block: Uint32Array): void {
    const { keys, measures } = this.#shape;
    writeBlock(writer, this.#shape, {
      rows: block.length,
      keys: new Map(keys.map((key, i) => [key, this.#pickKeys(columns[i] ?? NONE, block, this.#decoders[key])])),
      measures: new Map(measures.map((name: Measure, i) => [name, pick(columns[keys.length + i] ?? NONE, block)])),
      ...(users === undefined ? {} : { users: pickUsers(users, block) }),
    });
  }

  #pickKeys(column: Float64Array, block: Uint32Array, decode: DecodeKey): CodedKeys {
    const met: number[] = [];
    const codes = new Uint32Array(block.length);
    for (let i = 0; i < block.length; i++) {
      const code = column[block[i] as number] as number; // i < length, and a block holds rows
      if (code >= this.#own.length) this.#grow(code);
      let own = this.#own[code] as number; // code < length
      if (own === 0) {
        own = met.push(code);
        this.#own[code] = own;
      }
      codes[i] = own - 1;
    }
    for (const code of met) this.#own[code] = 0;
    return { dictionary: met.map((code): KeyValue => (code === 0 ? null : decode(code))), codes };
  }

  #grow(code: number): void {
    const grown = new Uint32Array(2 * code);
    grown.set(this.#own);
    this.#own = grown;
  }
}

const NONE = new Float64Array(0);

function pick(column: Float64Array, block: Uint32Array): Float64Array {
  const picked = new Float64Array(block.length);
  for (let i = 0; i < block.length; i++) picked[i] = column[block[i] as number] as number; // i < length, and a block holds rows
  return picked;
}

function pickUsers({ offsets, hashes }: UserHashes, block: Uint32Array): UserData {
  const rows = block.length;
  const picked = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    const row = block[i] ?? 0;
    picked[i + 1] = (picked[i] ?? 0) + (offsets[row + 1] ?? 0) - (offsets[row] ?? 0);
  }
  const own = new Float64Array(picked[rows] ?? 0);
  let at = 0;
  for (const row of block) {
    const end = offsets[row + 1] ?? 0;
    for (let i = offsets[row] ?? 0; i < end; i++) own[at++] = hashes[i] ?? 0;
  }
  return { rows, offsets: picked, hashes: own };
}
