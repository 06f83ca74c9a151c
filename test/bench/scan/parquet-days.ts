import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parquetWriteFile } from 'hyparquet-writer';
import type { FactTable } from '../../../shared/catalog/tables.ts';
import { decodeKeys, expandKeys } from '../../../shared/columns/coded-keys.ts';
import type { KeyValue } from '../../../shared/columns/column.ts';
import { decodeMeasure, expandMeasure } from '../../../shared/columns/measures.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { codeFacts, encodeFactRows, type PlainFacts } from '../../support/encode-fact-rows.ts';

/** One day, encoded as segments and as DuckDB's zstd Parquet of the same rows in the same order. */
export interface DayInBothFormats {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Uint8Array>;
  readonly parquetBytes: number;
}

/** @returns the date, `YYYY-MM-DD`, of day n; day 0 is 2026-01-01 */
export function dateOfDay(n: number): string {
  return formatDay(dayNumber('2026-01-01') + n);
}

/** Encodes a day of facts, and writes it as `<table>-<day>.parquet` into the folder; DuckDB chooses row groups and encodings. */
export async function encodeInBothFormats(
  duckdb: DuckDBConnection,
  folder: string,
  table: FactTable,
  day: number,
  facts: PlainFacts,
): Promise<DayInBothFormats> {
  const encoded = encodeFactRows(table, codeFacts(facts));
  const columns = new Map([...encoded.columns].map(([name, { bytes }]) => [name, bytes]));
  const plain = join(folder, `plain-${table}-${day}.parquet`); // DuckDB caches files by their names
  parquetWriteFile({ filename: plain, columnData: parquetColumns(facts, columns) });
  const parquet = join(folder, `${table}-${day}.parquet`);
  await duckdb.run(
    `COPY (SELECT *, DATE '${dateOfDay(day)}' AS date FROM read_parquet('${plain}')) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  rmSync(plain);
  return { rows: encoded.rows, columns, parquetBytes: statSync(parquet).size };
}

/** @returns the day's columns decoded from the segments, so that both formats have the same rows in the same order */
function parquetColumns(facts: PlainFacts, columns: ReadonlyMap<string, Uint8Array>) {
  const bytes = (name: string) => columns.get(name) ?? new Uint8Array();
  const keys = [...facts.keys.keys()].map((name) => {
    const data: KeyValue[] = expandKeys(decodeKeys(bytes(name), name));
    const isNumeric = data.some((value) => typeof value === 'number');
    return { name, data, type: isNumeric ? ('INT32' as const) : ('STRING' as const) };
  });
  const measures = [...facts.measures.keys()].map((name) => {
    const values = expandMeasure(decodeMeasure(bytes(name), name));
    if (values.every((value) => value < 2 ** 31))
      return { name, data: Int32Array.from(values), type: 'INT32' as const };
    return { name, data: BigInt64Array.from(Array.from(values, BigInt)), type: 'INT64' as const };
  });
  return [...keys, ...measures];
}
