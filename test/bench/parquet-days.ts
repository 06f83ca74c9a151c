import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parquetWriteFile } from 'hyparquet-writer';
import type { FactTable } from '../../shared/catalog/tables.ts';
import { encodeDay, type FactRows } from '../../shared/columns/build-day.ts';
import type { KeyValue } from '../../shared/columns/column.ts';
import { decodeKeys, expandKeys } from '../../shared/columns/keys.ts';
import { decodeMeasure, expandMeasure } from '../../shared/columns/measures.ts';

/** One day, as our segments and as DuckDB's zstd Parquet of the same rows in the same order. */
export interface EncodedPeer {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array>;
  readonly parquet: string;
  readonly parquetBytes: number;
}

/** @returns `YYYY-MM-DD`: January 2026 and on */
export function dateOfDay(day: number): string {
  return new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
}

/** Writes the day both ways; the Parquet file is written by DuckDB (row groups and encodings as it chooses, zstd). */
export async function encodeBothWays(
  duck: DuckDBConnection,
  folder: string,
  table: FactTable,
  day: number,
  facts: FactRows,
): Promise<EncodedPeer> {
  const encoded = encodeDay(table, facts);
  const columns = new Map([...encoded.columns].map(([name, { bytes }]) => [name, bytes]));
  const plain = join(folder, 'plain.parquet');
  parquetWriteFile({ filename: plain, columnData: parquetColumns(facts, columns) });
  const parquet = join(folder, `${table}-${day}.parquet`);
  await duck.run(
    `COPY (SELECT *, DATE '${dateOfDay(day)}' AS date FROM read_parquet('${plain}')) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  return { rows: encoded.rows, columns, parquet, parquetBytes: statSync(parquet).size };
}

/** The columns that the day was given, decoded from the segments: so both sides have the same rows in the same order. */
function parquetColumns(facts: FactRows, columns: ReadonlyMap<string, Uint8Array>) {
  const bytes = (name: string) => columns.get(name) ?? new Uint8Array();
  const keys = [...facts.keys.keys()].map((name) => {
    const data: KeyValue[] = expandKeys(decodeKeys(bytes(name), name));
    return { name, data, type: data.some((it) => typeof it === 'number') ? ('INT32' as const) : ('STRING' as const) };
  });
  const measures = [...facts.measures.keys()].map((name) => {
    const values = expandMeasure(decodeMeasure(bytes(name), name));
    if (values.every((it) => it < 2 ** 31)) return { name, data: Int32Array.from(values), type: 'INT32' as const };
    return { name, data: BigInt64Array.from(Array.from(values, BigInt)), type: 'INT64' as const };
  });
  return [...keys, ...measures];
}
