import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../infra/cli/run-command.ts';
import { BENCHES } from './benches.ts';
import { checkSections, renderSection, replaceSection, summarizeRows } from './sections.ts';

const ROW = { what: 'bytes per row', endcap: '6 B', peer: 'Parquet: 8 B', ratio: 0.75, target: '≤ 0.9' };
const PAGE = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

describe('a section of the bench page', () => {
  test('has the conditions, an aligned table, and numbered notes', () => {
    const rows = [ROW, { ...ROW, what: 'page 2', ratio: 1 / 57, note: 'from the cache' }];
    expect(renderSection('Sizes.', 'Measured today.', rows)).toBe(
      [
        'Sizes. Measured today.',
        '',
        '| What          | Endcap | Peer         | Ratio | Target |',
        '|---------------|--------|--------------|-------|--------|',
        '| bytes per row | 6 B    | Parquet: 8 B | 0.750 | ≤ 0.9  |',
        '| page 2 [1]    | 6 B    | Parquet: 8 B | 1/57  | ≤ 0.9  |',
        '',
        '1. from the cache',
        '',
      ].join('\n'),
    );
  });

  test('replaces the text between the comments of its name, and nothing else', () => {
    const page = '# Page\n<!-- bench a -->\nold\n<!-- /bench a -->\n<!-- bench ab -->\n<!-- /bench ab -->\n';
    const replaced = '# Page\n<!-- bench a -->\n\nnew\n\n<!-- /bench a -->\n<!-- bench ab -->\n<!-- /bench ab -->\n';
    expect(replaceSection(page, 'a', 'new\n')).toBe(replaced);
    expect(replaceSection(replaced, 'a', 'new\n')).toBe(replaced);
  });

  test('has no notes and no figures in parentheses on the page', () => {
    const row = { ...ROW, endcap: '6 ms (first 9 ms, later 5 ms)', peer: 'DuckDB: 8 ms (first 8 ms)' };
    expect(summarizeRows([{ ...row, note: 'from the cache' }])).toEqual([
      { ...ROW, endcap: '6 ms', peer: 'DuckDB: 8 ms' },
    ]);
    const two = { ...ROW, peer: 'DuckDB: 8 ms (largest 9); PostgreSQL: 7 ms (largest 12)' };
    expect(summarizeRows([two])).toEqual([{ ...ROW, peer: 'DuckDB: 8 ms; PostgreSQL: 7 ms' }]);
  });

  test('is rejected if the page has no comments of its name', () => {
    expect(() => replaceSection('# Page\n', 'a', 'new')).toThrow('the page has no section <!-- bench a -->');
  });
});

test('a page is rejected with all sections that it lacks', () => {
  const page = '<!-- bench a -->\n<!-- /bench a -->\n';
  expect(() => checkSections(page, ['a'])).not.toThrow();
  expect(() => checkSections(page, ['a', 'b', 'c 7'])).toThrow(
    'the page has no section <!-- bench b --> … <!-- /bench b -->, <!-- bench c 7 --> … <!-- /bench c 7 -->',
  );
});

test.each<[string, string[], string]>([
  ['a missing file', ['--out', 'missing.md'], "ENOENT: no such file or directory, open 'missing.md'"],
  [
    'a file without the sections',
    ['--rows', '1234', '--only', 'sizes,load', '--out', 'package.json'],
    'the page has no section <!-- bench sizes --> … <!-- /bench sizes -->, <!-- bench load 1234 --> … <!-- /bench load 1234 -->',
  ],
  ['another argument', ['--only', 'all', 'x'], 'Unexpected argument'],
])('the command ends with one line before the first bench if it has %s', async (_, args, problem) => {
  const { code, stdout, stderr } = await runCommand('../../test/bench/bench', args, {});
  expect([code, stdout, stderr.trimEnd().split('\n')]).toEqual([1, '', [expect.stringContaining(problem)]]);
});

test.each([...BENCHES.keys()])('test/README.md has a table of the bench %s', (name) => {
  const [, section = ''] = PAGE.split(`<!-- bench ${name} -->`);
  expect(section.split(`<!-- /bench ${name} -->`)[0]).toMatch(/\| Target +\|/);
});
