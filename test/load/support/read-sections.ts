import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadRow } from '../../real/write-folder.ts';

/** @returns the rows of a file of this folder by section: `# name`, and below it a row of JSON per line */
export function readSections(file: string): Record<string, readonly LoadRow[]> {
  const sections = readFileSync(join(import.meta.dirname, file), 'utf8')
    .split(/^# /m)
    .slice(1);
  return Object.fromEntries(
    sections.map((text) => {
      const [name = '', ...rows] = text.trimEnd().split('\n');
      return [name, rows.map((row): LoadRow => JSON.parse(row))];
    }),
  );
}
