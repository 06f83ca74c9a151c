import { type FactTable, KEY_COLUMNS } from '../catalog/tables.ts';
import type { EncodedRollup } from '../layout/partitions.ts';
import { type Grain, ROLLUP_TABLES } from '../layout/rollup-keys.ts';
import { compressColumns, type EncodedColumn, type FactRows } from './build-day.ts';
import { SHOPPER_BANDS } from './column.ts';
import { ownPackOf, packColumns, unpackRollup } from './pack.ts';
import { decodeRollup, encodeRollup, joinParts } from './rollup.ts';

/** An encoded rollup with its rows of each fact table. */
export interface RollupData extends EncodedRollup {
  readonly rows: ReadonlyMap<FactTable, number>;
}

const KEYS: ReadonlySet<string> = new Set([...KEY_COLUMNS, 'advertiser']);

/**
 * @param parts the rows of each table, which are summed where they have equal keys
 * @returns the rollup as it is stored: shoppers are separate, parts of purchases a pack of their own; undefined if there are no rows
 */
export function packTables(
  { key, maxPackedRows }: Grain,
  parts: ReadonlyMap<FactTable, readonly FactRows[]>,
): RollupData | undefined {
  const present = [...parts].filter(([, ofTable]) => ofTable.length > 0);
  if (present.length === 0) return undefined;
  const tables = present.map(([table, ofTable]) => [table, encodeRollup(key, joinParts(key, ofTable))] as const);
  const rows = new Map(tables.map(([table, encoded]) => [table, encoded.rows]));
  const areMeasuresPacked = [...rows.values()].reduce((sum, count) => sum + count, 0) <= maxPackedRows;
  const together = new Map<string, Uint8Array>();
  const columns = new Map<string, Uint8Array>();
  for (const [table, encoded] of tables) {
    const packs = new Map<string, Map<string, Uint8Array>>();
    const separate = new Map<string, EncodedColumn>();
    for (const [name, column] of encoded.columns) {
      const isPacked = !isShoppers(name) && (areMeasuresPacked || KEYS.has(name));
      const own = ownPackOf(name);
      if (isPacked && own !== undefined)
        packs.set(own, (packs.get(own) ?? new Map<string, Uint8Array>()).set(`${table}/${name}`, column.bytes));
      else if (isPacked) together.set(`${table}/${name}`, column.bytes);
      else separate.set(`${table}/${name}`, column);
    }
    for (const [own, members] of packs) columns.set(`${table}/${own}`, packColumns(members));
    for (const [name, { bytes }] of compressColumns(separate)) columns.set(name, bytes);
  }
  return { rows, packed: packColumns(together), columns };
}

/**
 * @param where the rollup's name in errors
 * @returns the rows of those of the tables that the rollup has, with the columns that were read; without the shopper columns, they have no shoppers
 * @throws CorruptColumnError if a pack or column is damaged
 */
export function unpackTables(
  { key }: Grain,
  encoded: EncodedRollup,
  where: string,
  tables: readonly FactTable[] = ROLLUP_TABLES,
): Map<FactTable, FactRows> {
  const columns = [...unpackRollup(encoded, where)];
  const found = new Map<FactTable, FactRows>();
  for (const table of tables) {
    const ofTable = columns.filter(([name]) => name.startsWith(`${table}/`));
    if (ofTable.length === 0) continue;
    const named = new Map(ofTable.map(([name, bytes]) => [name.slice(table.length + 1), bytes]));
    found.set(table, decodeRollup(key, table, named, `${where}/${table}`));
  }
  return found;
}

/** @returns whether the column, with or without the name of its table, is a band of shoppers */
export const isShoppers = (column: string): boolean => SHOPPER_BANDS.some((band) => column.endsWith(band.column));
