import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A row of a load file. A list becomes a JSON list, or in CSV a cell whose members are joined by `|`. */
export type LoadRow = Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;

/** Writes rows in the format of the name's extension: `.ndjson`, `.csv.gz`, … */
export function writeLoadFile(folder: string, name: string, rows: readonly LoadRow[]): void {
  const text = name.includes('.csv') ? csvOf(rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('') || '\n';
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(text, { level: 3 }) : text);
}

function csvOf(rows: readonly LoadRow[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => cellOf(row[column])).join(','));
  return `${columns.join(',')}\n${lines.join('\n')}\n`;
}

function cellOf(value: LoadRow[string]): string {
  const text = Array.isArray(value) ? value.join('|') : String(value ?? '');
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
