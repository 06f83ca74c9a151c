import { type FactTable, KEY_COLUMNS, splitOf } from '../../catalog/tables.ts';
import { compressColumns, type EncodedColumn, type EncodedRows } from '../../columns/build-day.ts';
import { SHOPPER_BANDS } from '../../columns/column.ts';
import { PARTS, packColumns } from '../../columns/pack.ts';
import type { RollupData } from '../../store/facts/stored-rollups.ts';

const KEYS: ReadonlySet<string> = new Set([...KEY_COLUMNS, 'advertiser']);

/**
 * @param tables the encoded facts of each table
 * @param maxPackedRows the measures of a rollup of more rows are stored separately, because a report reads few of them
 * @returns the rollup as it is stored: shoppers are separate, too, and parts of purchases a pack of their own
 */
export function packRollup(tables: ReadonlyMap<FactTable, EncodedRows>, maxPackedRows: number): RollupData {
  const rows = new Map([...tables].map(([table, encoded]) => [table, encoded.rows]));
  const areMeasuresPacked = [...rows.values()].reduce((sum, count) => sum + count, 0) <= maxPackedRows;
  const together = new Map<string, Uint8Array>();
  const columns = new Map<string, Uint8Array>();
  for (const [table, encoded] of tables) {
    const parts = new Map<string, Uint8Array>();
    const separate = new Map<string, EncodedColumn>();
    for (const [name, column] of encoded.columns) {
      const isPacked = !isShoppers(name) && (areMeasuresPacked || KEYS.has(name));
      if (isPacked) (splitOf(name) ? parts : together).set(`${table}/${name}`, column.bytes);
      else separate.set(`${table}/${name}`, column);
    }
    if (parts.size > 0) columns.set(`${table}/${PARTS}`, packColumns(parts));
    for (const [name, { bytes }] of compressColumns(separate)) columns.set(name, bytes);
  }
  return { rows, packed: packColumns(together), columns };
}

/** @returns whether the column, with or without the name of its table, is a band of shoppers */
export const isShoppers = (column: string): boolean => SHOPPER_BANDS.some((band) => column.endsWith(band.column));
