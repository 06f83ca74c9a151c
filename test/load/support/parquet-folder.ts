import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { ColumnSpec } from '../../../shared/load/schema/file-columns.ts';
import type { ValueType } from '../../../shared/load/schema/value-types.ts';
import { folderOf, makeFolder, type TestFolder } from './folder.ts';
import { loadFileColumns } from './load-file-columns.ts';
import type { FolderRows } from './network-rows.ts';

/** The SQL types of columns, by the kind of their values. */
export type SqlTypes = Partial<Readonly<Record<ValueType['kind'], string>>>;

/**
 * @param types to be used instead of those that fit best: decimals, dates, lists, 64-bit integers
 * @returns a folder of Parquet files as DuckDB writes them
 */
export async function parquetFolderOf(rows: FolderRows, types: SqlTypes = {}): Promise<TestFolder> {
  using source = folderOf(rows);
  const folder = makeFolder();
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    for (const name of Object.keys(rows)) {
      const target = join(folder.path, `${name}.parquet`);
      mkdirSync(dirname(target), { recursive: true });
      const given = new Set(rows[name]?.flatMap((row) => Object.keys(row)));
      const presentColumns = loadFileColumns(name).filter((column) => given.has(column.name));
      const columnTypes = presentColumns.map(
        (column) => `"${column.name}": '${column.type.kind === 'list' ? 'VARCHAR[]' : 'VARCHAR'}'`,
      );
      const casts = presentColumns.map(
        (column) => `CAST(${castable(column)} AS ${typeOf(column.type, types)}) AS "${column.name}"`,
      );
      const file = join(source.path, `${name}.ndjson`);
      await duckdb.run(
        `COPY (SELECT ${casts.join(', ')} FROM read_json('${file}', format = 'newline_delimited', columns = {${columnTypes.join(', ')}})) TO '${target}' (FORMAT parquet)`,
      );
    }
  } finally {
    duckdb.closeSync();
  }
  return folder;
}

/** The column as SQL that can be cast: the rows have empty text for absent values, which is null here. */
const castable = ({ name, type }: ColumnSpec) => (type.kind === 'list' ? name : `nullif("${name}", '')`);

function typeOf(type: ValueType, types: SqlTypes): string {
  const given = types[type.kind];
  if (given !== undefined) return given;
  switch (type.kind) {
    case 'integer':
      return 'BIGINT';
    case 'decimal':
      return `DECIMAL(18, ${type.places})`;
    case 'boolean':
      return 'BOOLEAN';
    case 'date':
      return 'DATE';
    case 'list':
      return `${typeOf(type.of, types)}[]`;
    default:
      return 'VARCHAR';
  }
}
