import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { EXPERIENCES, FACT_TABLES } from '../../shared/catalog/tables.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import {
  type ColumnSpec,
  DELETION_COLUMNS,
  DELETIONS_FILE,
  LISTING_FILES,
  listingColumns,
} from '../../shared/load/schema/file-columns.ts';
import type { ValueType } from '../../shared/load/schema/value-types.ts';
import { folderOf, makeFolder, type TestFolder } from './folder.ts';
import type { FolderRows } from './network-rows.ts';

/** The SQL types of columns, by the kind of their values. */
export type SqlTypes = Partial<Readonly<Record<ValueType['kind'], string>>>;

/**
 * @param types others than those that fit best: decimals, dates, lists, 64-bit integers
 * @returns a folder of Parquet files as DuckDB writes them
 */
export async function parquetFolderOf(rows: FolderRows, types: SqlTypes = {}): Promise<TestFolder> {
  using text = folderOf(rows);
  const folder = makeFolder();
  const duckdb = await (await DuckDBInstance.create(':memory:')).connect();
  for (const name of Object.keys(rows)) {
    const target = join(folder.path, `${name}.parquet`);
    mkdirSync(dirname(target), { recursive: true });
    const given = new Set(rows[name]?.flatMap((row) => Object.keys(row)));
    const columns = columnsOf(name).filter((column) => given.has(column.name));
    const texts = columns.map(
      (column) => `"${column.name}": '${column.type.kind === 'list' ? 'VARCHAR[]' : 'VARCHAR'}'`,
    );
    const casts = columns.map(
      (column) => `CAST(${castable(column)} AS ${typeOf(column.type, types)}) AS "${column.name}"`,
    );
    const source = join(text.path, `${name}.ndjson`);
    await duckdb.run(
      `COPY (SELECT ${casts.join(', ')} FROM read_json('${source}', format = 'newline_delimited', columns = {${texts.join(', ')}})) TO '${target}' (FORMAT parquet)`,
    );
  }
  duckdb.closeSync();
  return folder;
}

/** @param name of a load file, without its ending */
export function columnsOf(name: string): readonly ColumnSpec[] {
  const listing = LISTING_FILES.find((listing) => listing === name);
  if (listing !== undefined) return listingColumns(listing);
  if (name === DELETIONS_FILE) return DELETION_COLUMNS;
  const table = FACT_TABLES.find((table) => EXPERIENCES.some((experience) => name === `facts/${experience}/${table}`));
  if (table === undefined) throw new Error(`${name} is no load file`);
  return factColumns(table);
}

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
