import type { EncodedRollup, RollupEntry, RollupRef } from '../catalog/partitions.ts';
import type { BaseColumn, Measure } from '../catalog/tables.ts';
import type { KeyData, MeasureData, UserRows } from '../columns/column.ts';
import { CorruptColumnError } from '../columns/frame.ts';
import { decodeKeys } from '../columns/keys.ts';
import { decodeMeasure, readMeasureSum } from '../columns/measures.ts';
import { unpackColumns } from '../columns/pack.ts';
import { CUBES, type Cube } from '../columns/rollup.ts';
import { decodeUsers } from '../columns/users.ts';
import { constantKeys, type Segment } from './read-segments.ts';
import type { SegmentSource } from './segment-source.ts';

/** A month to read rolled up, and which of its cubes. */
export interface RollupRead {
  readonly ref: RollupRef;
  readonly entry: RollupEntry;
}

/** Bases that every cube of the table has a column or a constant for. */
export function cubeHas(cube: Cube, base: BaseColumn): boolean {
  if (base === 'experience') return true;
  if (base === 'advertiser') return CUBES[cube].table !== 'market';
  return (CUBES[cube].keys as readonly BaseColumn[]).includes(base);
}

/** One cube of one month: rows of many days. */
class CubeColumns implements Segment {
  readonly key: string;
  readonly rows: number;
  readonly #ref: RollupRef;
  readonly #cube: Cube;
  readonly #columns: ReadonlyMap<string, Uint8Array>;
  readonly #dates: KeyData;

  constructor(ref: RollupRef, cube: Cube, columns: ReadonlyMap<string, Uint8Array>) {
    this.key = `${ref.advertiserId}/${ref.experience}/${ref.month}/${cube}`;
    this.#ref = ref;
    this.#cube = cube;
    this.#columns = columns;
    const days = decodeKeys(this.#bytes('date'), this.#where('date'));
    const dictionary = days.dictionary.map((day) => `${ref.month}-${String(day).padStart(2, '0')}`);
    this.#dates = { ...days, dictionary };
    this.rows = days.rows;
  }

  get advertiserId(): number {
    return this.#ref.advertiserId;
  }

  keys(base: BaseColumn): KeyData {
    if (base === 'date') return this.#dates;
    if (base === 'advertiser') return constantKeys(this.rows, this.#ref.advertiserId);
    if (base === 'experience') return constantKeys(this.rows, this.#ref.experience);
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
    const bytes = this.#columns.get(`${this.#cube}/${column}`);
    if (bytes === undefined) throw new CorruptColumnError(this.#where(column), 'it was not read');
    return bytes;
  }

  #checked<T extends { readonly rows: number }>(column: string, data: T): T {
    if (data.rows === this.rows) return data;
    throw new CorruptColumnError(this.#where(column), `${data.rows} rows where the dates have ${this.rows}`);
  }

  #where(column: string): string {
    return `${this.key}/${column}`;
  }
}

/** Hands over the asked cubes of the rollups; a month without rows in a cube has none. */
export async function* readCubes(
  source: SegmentSource,
  reads: readonly RollupRead[],
  cubes: readonly Cube[],
  users: readonly string[],
): AsyncGenerator<{ readonly cube: Cube; readonly segment: Segment }> {
  if (reads.length === 0) return;
  for await (const rollup of source.rollups(reads, users)) {
    const columns = columnsOf(rollup);
    for (const cube of cubes) {
      if (columns.has(`${cube}/date`)) yield { cube, segment: new CubeColumns(rollup.ref, cube, columns) };
    }
  }
}

function columnsOf({ ref, packed, users }: EncodedRollup): Map<string, Uint8Array> {
  const columns = unpackColumns(packed, `${ref.advertiserId}/${ref.experience}/${ref.month}`);
  for (const [name, bytes] of users) columns.set(name, bytes);
  return columns;
}
