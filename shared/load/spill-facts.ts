import type { Experience, FactTable, Measure } from '../catalog/tables.ts';
import type { KeyValue } from '../columns/column.ts';
import { type CodedFacts, type StoredColumns, storedColumns } from './code-facts.ts';
import type { DecodeKey, StoredKey } from './key-codes.ts';
import { type Spill, SpillSequence } from './spill.ts';
import { MAX_VARINT_BYTES, VarintReader, writeVarint } from './varint.ts';

/** A day of a fact table of an advertiser (0 for market): the unit that a load replaces. */
export interface DayPartition {
  readonly advertiserId: number;
  readonly experience: Experience;
  readonly table: FactTable;
  /** Day number. */
  readonly day: number;
  readonly sequence: SpillSequence;
}

const HASH_BYTES = 6;
/** More than the day numbers there are, so that advertiser and day make one map key. */
const DAYS = 2 ** 22;

/** The rows of one fact table of one experience, sorted into their days as they come. */
export class FactPartitions {
  readonly #experience: Experience;
  readonly #table: FactTable;
  readonly #columns: StoredColumns;
  readonly #owners: readonly number[] | undefined;
  readonly #partitions = new Map<number, DayPartition>();

  /** @param owners advertiser of each ad group, by ad group code - 1 */
  constructor(experience: Experience, table: FactTable, owners: readonly number[]) {
    this.#experience = experience;
    this.#table = table;
    this.#columns = storedColumns(table);
    this.#owners = this.#columns.keys.includes('ad_group_id') ? owners : undefined;
  }

  /** Appends the rows to the spill, each to its advertiser's day. */
  async add(facts: CodedFacts, spill: Spill): Promise<void> {
    const { rows, days, columns, users } = facts;
    const adGroups = columns[this.#columns.keys.indexOf('ad_group_id')];
    const rowBytes = (columns.length + 1) * MAX_VARINT_BYTES;
    for (let row = 0; row < rows; row++) {
      const owner = adGroups === undefined ? 0 : (this.#owners?.[(adGroups[row] ?? 0) - 1] ?? 0);
      const { sequence } = this.#partitionOf(owner, days[row] ?? 0);
      const userFrom = users?.offsets[row] ?? 0;
      const userTo = users?.offsets[row + 1] ?? 0;
      spill.reserve(sequence, rowBytes + (userTo - userFrom) * HASH_BYTES);
      const { bytes } = sequence;
      let at = sequence.length;
      for (let column = 0; column < columns.length; column++) at = writeVarint(bytes, at, columns[column]?.[row] ?? 0);
      if (users !== undefined) {
        at = writeVarint(bytes, at, userTo - userFrom);
        for (let i = userFrom; i < userTo; i++) at = writeHash(bytes, at, users.hashes[i] ?? 0);
      }
      sequence.length = at;
      sequence.count++;
    }
    await spill.relieve();
  }

  /** @returns the days, by advertiser and then by day. */
  days(): DayPartition[] {
    return [...this.#partitions.values()].sort((a, b) => a.advertiserId - b.advertiserId || a.day - b.day);
  }

  #partitionOf(advertiserId: number, day: number): DayPartition {
    const key = (this.#owners === undefined ? 0 : advertiserId) * DAYS + day;
    const known = this.#partitions.get(key);
    if (known !== undefined) return known;
    const made = { advertiserId, experience: this.#experience, table: this.#table, day, sequence: new SpillSequence() };
    this.#partitions.set(key, made);
    return made;
  }
}

function writeHash(bytes: Uint8Array, at: number, hash: number): number {
  const low = hash % 0x100_0000;
  const high = (hash - low) / 0x100_0000;
  bytes[at] = low;
  bytes[at + 1] = low >>> 8;
  bytes[at + 2] = low >>> 16;
  bytes[at + 3] = high;
  bytes[at + 4] = high >>> 8;
  bytes[at + 5] = high >>> 16;
  return at + HASH_BYTES;
}

/** A key column: row r has `dictionary[codes[r]]`. Cheap to hand to another thread. */
export interface CodedColumn {
  readonly dictionary: readonly KeyValue[];
  readonly codes: Uint32Array<ArrayBuffer>;
}

/** The rows of a day as they were added, equal keys not yet summed. */
export interface SpilledDay {
  readonly rows: number;
  readonly keys: ReadonlyMap<StoredKey, CodedColumn>;
  readonly measures: ReadonlyMap<Measure, Float64Array<ArrayBuffer>>;
  readonly users?: { readonly offsets: Uint32Array<ArrayBuffer>; readonly hashes: Float64Array<ArrayBuffer> };
}

/** @returns the rows of a day */
export async function readDay(
  { table, sequence }: Pick<DayPartition, 'table' | 'sequence'>,
  spill: Spill,
  decoders: Readonly<Record<StoredKey, DecodeKey>>,
): Promise<SpilledDay> {
  const { keys, measures, hasUsers } = storedColumns(table);
  const rows = sequence.count;
  const bytes = await spill.read(sequence);
  const reader = new VarintReader(bytes);
  const columns = Array.from({ length: keys.length + measures.length }, () => new Float64Array(rows));
  const offsets = new Uint32Array(hasUsers ? rows + 1 : 0);
  const hashes = new Float64Array(hasUsers ? Math.ceil(bytes.length / HASH_BYTES) : 0);
  let users = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns.length; column++) (columns[column] ?? offsets)[row] = reader.next();
    if (!hasUsers) continue;
    for (let left = reader.next(); left > 0; left--) hashes[users++] = reader.fixed(HASH_BYTES);
    offsets[row + 1] = users;
  }
  if (!reader.isAtEnd) throw new Error('the temporary file does not hold what was written to it');
  const columnAt = (index: number) => columns[index] ?? new Float64Array(0);
  return {
    rows,
    keys: new Map(keys.map((key, index) => [key, recode(columnAt(index), decoders[key])])),
    measures: new Map(measures.map((measure, index) => [measure, columnAt(keys.length + index)])),
    ...(hasUsers ? { users: { offsets, hashes: hashes.slice(0, users) } } : {}),
  };
}

/** The load's codes become codes of the day's own values, in the order they come. */
function recode(loadCodes: Float64Array, decode: DecodeKey): CodedColumn {
  const known = new Map<number, number>();
  const dictionary: KeyValue[] = [];
  const codes = new Uint32Array(loadCodes.length);
  for (let row = 0; row < loadCodes.length; row++) {
    const loadCode = loadCodes[row] ?? 0;
    let code = known.get(loadCode);
    if (code === undefined) {
      code = dictionary.push(loadCode === 0 ? null : decode(loadCode)) - 1;
      known.set(loadCode, code);
    }
    codes[row] = code;
  }
  return { dictionary, codes };
}
