import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { writeLoadFile } from '../../real/write-folder.ts';
import type { FolderRows } from './network-rows.ts';

/** A temporary folder, removed when it is disposed of. */
export interface TestFolder extends Disposable {
  readonly path: string;
  /** Writes a file with exactly this content. */
  write(name: string, content: string | Uint8Array): void;
}

/** @returns an empty folder */
export function makeFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'endcap-test-load-'));
  return {
    path,
    write: (name, content) => {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** @param format the extension of every file, such as `csv.gz` */
export function writeRows(folder: TestFolder, rows: FolderRows, format = 'ndjson'): void {
  for (const [name, list] of Object.entries(rows)) writeLoadFile(folder.path, `${name}.${format}`, list);
}

/** @returns a folder with the rows, each file in the format */
export function folderOf(rows: FolderRows, format = 'ndjson'): TestFolder {
  const folder = makeFolder();
  writeRows(folder, rows, format);
  return folder;
}

export const DELIVERY =
  'daily_date,hour,ad_group_id,placement_id,division_banner,keyword,entity_id,creative_key,impressions,clicks,cost,users';

/** The text of a delivery CSV file with these lines below its header. */
export const deliveryCsv = (...lines: string[]): string => [DELIVERY, ...lines, ''].join('\n');

/** The text of an NDJSON file with these rows. */
export const ndjson = (...rows: unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
