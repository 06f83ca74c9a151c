import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderScale } from './scale.ts';

test('infra/scale.md has the table that the script computes from its assumptions', () => {
  const page = readFileSync(new URL('../../infra/scale.md', import.meta.url), 'utf8');
  expect(page).toContain(`<!-- bench scale -->\n\n${renderScale()}\n<!-- /bench scale -->`);
});
