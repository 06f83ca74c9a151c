import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawImports, findDrawnImports, GRAPH_PAGE } from './draw-imports.ts';
import { FOLDERS, SUBFOLDERS } from './import-rules.ts';
import { importsOf, PRODUCT_FILES, readSource, SOURCE_FILES } from './source-files.ts';

describe('imports', () => {
  test('run from functions and infra to shared, and inside shared from folder to folder as listed', () => {
    expect(findForbidden(mayCross)).toEqual([]);
  });

  test.each(Object.keys(SUBFOLDERS))('run between the subfolders of %s as listed', (folder) => {
    expect(findForbidden((from, to) => mayEnter(folder, from, to))).toEqual([]);
  });

  test('never run from the product to the tests', () => {
    expect(findForbidden((_, to) => !to.startsWith('test/'))).toEqual([]);
  });

  test('have no cycles, imports of types included', () => {
    expect(findCycles(PRODUCT_FILES)).toEqual([]);
  });
});

test('the subfolders of shared’s folders are listed', () => {
  const folders = new Set(PRODUCT_FILES.map((file) => dirname(file)));
  const subfolders = [...folders].filter((folder) => folder.startsWith('shared/') && folder.split('/').length > 2);
  expect(subfolders.filter((path) => SUBFOLDERS[dirname(path)]?.[basename(path)] === undefined)).toEqual([]);
});

/** @returns the imports that are not allowed, as `from → to` */
function findForbidden(isAllowed: (from: string, to: string) => boolean): string[] {
  return PRODUCT_FILES.flatMap((from) =>
    importsOf(from)
      .filter((to) => !isAllowed(from, to))
      .map((to) => `${from} → ${to}`),
  );
}

function mayCross(from: string, to: string): boolean {
  const [fromTop = '', fromFolder = ''] = from.split('/');
  const [toTop = '', toFolder = ''] = to.split('/');
  if (fromTop === 'shared') {
    if (toTop !== 'shared') return false;
    return toFolder === 'lib' || fromFolder === toFolder || (FOLDERS[fromFolder] ?? []).includes(toFolder);
  }
  if (fromTop === 'functions') return toTop === 'shared' || toTop === 'functions';
  return toTop === 'shared' || toTop === 'infra'; // infra refers to functions by their file names
}

function mayEnter(folder: string, from: string, to: string): boolean {
  if (!from.startsWith(`${folder}/`) || !to.startsWith(`${folder}/`)) return true;
  const [fromSubfolder, toSubfolder] = [from, to].map((file) => {
    const [first = '', ...rest] = file.slice(folder.length + 1).split('/');
    return rest.length === 0 ? '.' : first;
  });
  const allowed = SUBFOLDERS[folder]?.[fromSubfolder ?? ''] ?? [];
  return (
    fromSubfolder === toSubfolder ||
    allowed.includes(toSubfolder ?? '') ||
    allowed.includes(to.slice(folder.length + 1))
  );
}

/** @returns the groups of files that import each other directly or indirectly (strongly connected components; Tarjan 1972) */
function findCycles(files: readonly string[]): string[][] {
  const order = new Map<string, number>();
  const path: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    let low = index;
    path.push(file);
    for (const target of importsOf(file)) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (path.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    if (low === index) {
      const members = path.splice(path.indexOf(file));
      if (members.length > 1) cycles.push(members.sort());
    }
    return low;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return cycles;
}

test('the rules read the source files and their imports', () => {
  expect(PRODUCT_FILES.length).toBeGreaterThan(200);
  expect(SOURCE_FILES.length).toBeGreaterThan(PRODUCT_FILES.length);
  expect(importsOf('shared/report/scan-report.ts')).toContain('shared/report/plan/plan-report.ts');
});

test('the graph of imports in shared/README.md is that of the import rules; `node test/rules/draw-imports.ts` redraws them', () => {
  expect(findDrawnImports(readSource(GRAPH_PAGE))).toBe(drawImports());
});

test('the graph has an arrow for each import that is allowed', () => {
  const drawn = drawImports();
  expect(drawn).toContain('  report --> catalog & layout & columns\n');
  expect(drawn).not.toMatch(/report --> .*store/);
});
