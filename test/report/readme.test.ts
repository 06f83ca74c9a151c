import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../shared/report/', import.meta.url);
const links = [...readFileSync(new URL('README.md', FOLDER), 'utf8').matchAll(/\]\(([^)#]+)/g)].map(
  ([, to = '']) => to,
);

test('the page of the engine links every file of the engine', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(files.filter((name) => !links.includes(name))).toEqual([]);
});
