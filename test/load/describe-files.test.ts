import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXPERIENCES, FACT_TABLES, TABLE_KEYS, TABLE_MEASURES } from '../../shared/catalog/tables.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import { LISTING_FILES, listingColumns } from '../../shared/load/schema/file-columns.ts';
import { REJECTED_EXTENSIONS } from '../../shared/load/source/find-files.ts';
import { describeFiles } from './support/describe-files.ts';

const PAGE = readFileSync(new URL('../../shared/load/README.md', import.meta.url), 'utf8');

/** @returns the page's section of the file */
const sectionOf = (file: string) => PAGE.split(/^#+ /m).find((section) => section.startsWith(`\`${file}\`\n`)) ?? '';

test.each([...describeFiles()])(
  'the page of the loader documents %s with the columns that it is checked by',
  (file, parts) => {
    expect(parts.filter((part) => !sectionOf(file).includes(part))).toEqual([]);
  },
);

test('the page of the loader lists every rejected extension and experience', () => {
  expect(PAGE).toContain(REJECTED_EXTENSIONS.map((extension) => `\`.${extension}\``).join(' '));
  expect(EXPERIENCES.filter((experience) => !PAGE.includes(`\`${experience}\``))).toEqual([]);
});

test('fact files have a column for each key and measure of the catalogue', () => {
  for (const table of FACT_TABLES) {
    const columns = factColumns(table);
    expect(columns.flatMap((column) => (column.role === 'key' ? [column.key] : []))).toEqual(TABLE_KEYS[table]);
    expect(columns.flatMap((column) => (column.role === 'measure' ? [column.measure] : []))).toEqual(
      Object.keys(TABLE_MEASURES[table]),
    );
  }
});

test('the file that a column refers to is read before the column’s own file', () => {
  for (const [at, listing] of LISTING_FILES.entries()) {
    for (const { refers } of listingColumns(listing)) {
      if (refers !== undefined) expect(LISTING_FILES.slice(0, at)).toContain(refers);
    }
  }
});
