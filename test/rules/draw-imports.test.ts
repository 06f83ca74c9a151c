import { expect, test } from 'vitest';
import { drawImports, findDrawnImports, GRAPH_PAGE } from './draw-imports.ts';
import { readSource } from './source-files.ts';

test('the graph of imports in shared/README.md is that of the import rules; `node test/rules/draw-imports.ts` redraws them', () => {
  expect(findDrawnImports(readSource(GRAPH_PAGE))).toBe(drawImports());
});

test('the graph has a node for each folder and an arrow for each import that is allowed', () => {
  const drawn = drawImports();
  expect(drawn).toContain('  folder_report["report"]');
  expect(drawn).toContain('  folder_report --> folder_catalog\n');
  expect(drawn).not.toContain('folder_report --> folder_store');
});
