import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsOf, codeBlocksOf, linksOf, PAGES, pathsOf } from './pages.ts';
import { ROOT } from './source-files.ts';

test('every block of README.md that is marked as JSON is JSON', () => {
  const blocks = codeBlocksOf('README.md').filter(({ language }) => language === 'json');
  expect(blocks.filter(({ text }) => !isJson(text))).toEqual([]);
  expect(blocks.length).toBeGreaterThan(0);
});

describe.each(PAGES)('%s', (page) => {
  test('links to files, folders and headings that exist', () => {
    expect(linksOf(page).filter((link) => !isTarget(page, link))).toEqual([]);
  });

  test('names files and folders that exist', () => {
    expect(pathsOf(page).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test('links and paths are found in the pages', () => {
  expect(linksOf('README.md')).toContain('shared/README.md');
  expect(pathsOf('CONTRIBUTING.md')).toContain('infra/config/routes.ts');
});

function isTarget(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
