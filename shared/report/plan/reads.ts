import type { DayEntry, PartitionRef, RollupEntry, RollupRef } from '../../catalog/partitions.ts';
import { type BaseColumn, TABLE_KEYS } from '../../catalog/tables.ts';
import { USER_BANDS } from '../../columns/column.ts';
import { CUBES, type Cube } from '../../columns/rollup.ts';
import type { TableScan } from './plan-report.ts';

/** What to read of one partition. */
export interface PartitionRead {
  readonly ref: PartitionRef;
  readonly days: readonly DayEntry[];
  readonly columns: readonly string[];
}

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

/** What to read of facts: days of partitions, a scan at a time, and months rolled up, for all scans of `rolledUp`. */
export interface Reads {
  readonly days: readonly { readonly scan: TableScan; readonly partitions: readonly PartitionRead[] }[];
  readonly rollups: readonly RollupRead[];
  readonly rolledUp: readonly TableScan[];
  /** The bands of users to read while scanning. */
  readonly userBands: readonly UserBand[];
}

/** A band of users' hashes. */
export type UserBand = (typeof USER_BANDS)[number];

/** Users of all bands that take less than this together are read at once: a second pass would cost more than it saves. */
const READ_AT_ONCE_BYTES = 4_000_000;

/** @returns the bands to read while the facts are scanned: all of few users, the first of many. */
export function firstBands(bytes: number): readonly UserBand[] {
  return bytes <= READ_AT_ONCE_BYTES ? USER_BANDS : USER_BANDS.slice(0, 1);
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
