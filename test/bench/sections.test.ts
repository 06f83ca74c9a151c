import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BENCHES } from './benches.ts';
import { renderSection, replaceSection } from './sections.ts';

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

  test('is rejected if the page has no comments of its name', () => {
    expect(() => replaceSection('# Page\n', 'a', 'new')).toThrow('the page has no section <!-- bench a -->');
  });
});

test.each([...BENCHES.keys()])('test/README.md has a table of the bench %s', (name) => {
  const [, section = ''] = PAGE.split(`<!-- bench ${name} -->`);
  expect(section.split(`<!-- /bench ${name} -->`)[0]).toMatch(/\| Target +\|/);
});
