import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FACT_TABLES, TABLE_KEYS, TABLE_MEASURES } from '../../shared/catalog/tables.ts';
import { describeFiles } from '../../shared/load/describe-files.ts';
import { factColumns } from '../../shared/load/fact-columns.ts';
import { DELETION_COLUMNS, LISTING_FILES, listingColumns } from '../../shared/load/file-columns.ts';

test('README.md documents every load file and column, in the words of the specs that files are checked by', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(describeFiles());
});

test('every column of every file has its line', () => {
  const lines = describeFiles().split('\n');
  const columns = [...LISTING_FILES.flatMap(listingColumns), ...FACT_TABLES.flatMap(factColumns), ...DELETION_COLUMNS];
  for (const { name } of columns) {
    expect(lines.filter((it) => it.startsWith(`| \`${name}\` |`))).not.toEqual([]);
  }
});

test('fact files have a column for each key and measure of the catalogue', () => {
  for (const table of FACT_TABLES) {
    const columns = factColumns(table);
    expect(columns.flatMap((it) => (it.role === 'key' ? [it.key] : []))).toEqual(TABLE_KEYS[table]);
    expect(columns.flatMap((it) => (it.role === 'measure' ? [it.measure] : []))).toEqual(
      Object.keys(TABLE_MEASURES[table]),
    );
  }
});

test('what a column refers to is read before its own file', () => {
  for (const [at, listing] of LISTING_FILES.entries()) {
    for (const { refers } of listingColumns(listing)) {
      if (refers !== undefined) expect(LISTING_FILES.slice(0, at)).toContain(refers);
    }
  }
});
