import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXPERIENCES, FACT_TABLES, TABLE_KEYS, TABLE_MEASURES } from '../../shared/catalog/tables.ts';
import { factColumns } from '../../shared/load/schema/fact-columns.ts';
import { LISTING_FILES, listingColumns } from '../../shared/load/schema/file-columns.ts';
import { REJECTED_EXTENSIONS } from '../../shared/load/source/find-files.ts';
import { describeFiles } from './support/describe-files.ts';

const PAGE = readFileSync(new URL('../../shared/load/README.md', import.meta.url), 'utf8');

test('the page of the loader documents every load file, with the texts of the specs that files are checked by', () => {
  expect(describeFiles().filter((section) => !PAGE.includes(section))).toEqual([]);
});

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
