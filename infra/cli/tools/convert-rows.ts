import { copyFileSync, createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parquetWriteFile, type SchemaElement } from 'hyparquet-writer';
import type { ColumnSpec } from '../../../shared/load/schema/file-columns.ts';
import type { ValueType } from '../../../shared/load/schema/value-types.ts';

export const ROW_FORMATS = ['csv', 'ndjson', 'parquet'] as const;
type RowFormat = (typeof ROW_FORMATS)[number];

type Row = Readonly<Record<string, unknown>>;

/**
 * Writes the rows of an NDJSON file into a file of the given format. CSV and Parquet have the columns that any row has: an empty column of facts would be 0, an
 * absent one is unknown.
 * @param known the columns that the loader reads in the file
 */
export async function convertRows(
  source: string,
  target: string,
  format: RowFormat,
  known: readonly ColumnSpec[],
): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  if (format === 'ndjson') return copyFileSync(source, target);
  const names = new Set<string>();
  for await (const row of readRows(source)) for (const name of Object.keys(row)) names.add(name);
  const columns = known.filter(({ name }) => names.has(name));
  switch (format) {
    case 'csv':
      return pipeline(Readable.from(csvLines(source, columns)), createWriteStream(target));
    case 'parquet':
      return writeParquet(source, target, columns);
  }
}

async function* readRows(source: string): AsyncGenerator<Row> {
  for await (const line of createInterface(createReadStream(source))) yield JSON.parse(line);
}

async function* csvLines(source: string, columns: readonly ColumnSpec[]): AsyncGenerator<string> {
  yield `${columns.map(({ name }) => name).join(',')}\n`;
  for await (const row of readRows(source)) yield `${columns.map(({ name }) => csvCell(row[name])).join(',')}\n`;
}

/** Members of a list are joined by `|`. */
function csvCell(value: unknown): string {
  const text = Array.isArray(value) ? value.join('|') : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function writeParquet(source: string, filename: string, columns: readonly ColumnSpec[]): Promise<void> {
  const data = columns.map((): unknown[] => []);
  for await (const row of readRows(source)) {
    for (const [index, { name, type }] of columns.entries()) data[index]?.push(parquetValue(row[name], type));
  }
  const schema = columns.flatMap(({ name, type }) => parquetElements(name, type));
  parquetWriteFile({
    filename,
    columnData: columns.map(({ name }, index) => ({ name, data: data[index] ?? [] })),
    schema: [{ name: 'root', num_children: columns.length }, ...schema],
  });
}

function parquetValue(value: unknown, type: ValueType): unknown {
  if (value === undefined || value === null) return null;
  switch (type.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((member) => parquetValue(member, type.of)) : null;
    case 'integer':
      return BigInt(Number(value));
    case 'decimal':
      return Number(value);
    case 'date':
      return new Date(String(value));
    case 'boolean':
      return value;
    default:
      return String(value);
  }
}

function parquetElements(name: string, type: ValueType): SchemaElement[] {
  if (type.kind !== 'list') return [{ name, repetition_type: 'OPTIONAL', ...parquetType(type.kind) }];
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...parquetType(type.of.kind) },
  ];
}

function parquetType(kind: ValueType['kind']): Pick<SchemaElement, 'type' | 'converted_type'> {
  switch (kind) {
    case 'integer':
      return { type: 'INT64' };
    case 'decimal':
      return { type: 'DOUBLE' };
    case 'date':
      return { type: 'INT32', converted_type: 'DATE' };
    case 'boolean':
      return { type: 'BOOLEAN' };
    default:
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}
