import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, PRODUCT_FILES, SOURCE_FILES } from './source-files.ts';

/** Folders of shared and which others each may import; lib may be imported by all. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  catalog: [],
  columns: ['catalog'],
  contract: ['catalog'],
  report: ['catalog', 'columns'],
  store: ['catalog', 'columns'],
  identity: ['store', 'catalog', 'columns'],
  http: ['identity', 'contract'],
  load: ['contract', 'catalog', 'columns', 'store'],
  ingest: ['load', 'catalog'],
  demo: ['catalog'],
};

/**
 * Rooms, which are folders inside folders, and which other rooms of the same folder each may import; `.` is the folder itself. What is not
 * listed here has no rooms.
 */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'shared/contract': {
    '.': [],
    resources: ['.'],
    report: ['.', 'resources'],
    openapi: ['.', 'resources', 'report'],
  },
  'shared/store': {
    table: [],
    commit: ['table'],
    listings: ['table', 'commit'],
    facts: ['table', 'commit'],
    cache: ['table', 'commit', 'facts'],
    '.': ['table', 'commit', 'listings', 'facts', 'cache'],
  },
  'shared/load': {
    schema: [],
    source: ['schema'],
    code: ['schema', 'source'],
    check: ['schema', 'source', 'code'],
    write: ['schema', 'source', 'code', 'check', 'load-report.ts'],
    '.': ['schema', 'source', 'code', 'check', 'write'],
  },
  'shared/report': {
    plan: ['query.ts'],
    sums: [],
    scan: ['plan', 'sums', 'query.ts'],
    finish: ['plan', 'scan', 'sums', 'query.ts'],
    '.': ['plan', 'sums', 'scan', 'finish'],
  },
  infra: {
    '.': ['stack', 'cli'],
    stack: ['.'],
    emulator: ['.'],
    start: ['.', 'emulator'],
    cli: ['.', 'emulator', 'start'],
  },
  'infra/emulator': {
    template: [],
    gateway: ['template'],
    functions: ['template', 'gateway'],
    services: ['template'],
    '.': ['template', 'gateway', 'functions', 'services'],
  },
};

describe('imports run one way', () => {
  test('from functions and infra to shared, and inside shared from folder to folder as listed', () => {
    expect(findEdges(mayCross)).toEqual([]);
  });

  test.each(Object.keys(ROOMS))('between the rooms of %s as listed', (folder) => {
    expect(findEdges((from, to) => mayEnter(folder, from, to))).toEqual([]);
  });

  test('and never from the product to the tests', () => {
    expect(findEdges((_, to) => !to.startsWith('test/'))).toEqual([]);
  });

  test('and never in a circle, types included', () => {
    expect(findCircles(PRODUCT_FILES)).toEqual([]);
  });
});

test('every folder of the product has at most 15 files of code, and where it has rooms they are listed', () => {
  const byFolder = Map.groupBy(PRODUCT_FILES, (file) => dirname(file));
  expect([...byFolder].filter(([, files]) => files.length > 15).map(([folder]) => folder)).toEqual([]);
  const rooms = [...byFolder.keys()].filter((folder) => folder.startsWith('shared/') && folder.split('/').length > 2);
  expect(rooms.filter((room) => ROOMS[dirname(room)]?.[room.slice(dirname(room).length + 1)] === undefined)).toEqual(
    [],
  );
});

/** @returns the imports that the rule forbids, as `from → to` */
function findEdges(isAllowed: (from: string, to: string) => boolean): string[] {
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
  return toTop === 'shared' || toTop === 'infra'; // infra refers to functions by file name only
}

function mayEnter(folder: string, from: string, to: string): boolean {
  if (!from.startsWith(`${folder}/`) || !to.startsWith(`${folder}/`)) return true;
  const [fromRoom, toRoom] = [from, to].map((file) => {
    const [first = '', ...rest] = file.slice(folder.length + 1).split('/');
    return rest.length === 0 ? '.' : first;
  });
  const allowed = ROOMS[folder]?.[fromRoom ?? ''] ?? [];
  return fromRoom === toRoom || allowed.includes(toRoom ?? '') || allowed.includes(to.slice(folder.length + 1));
}

/** @returns groups of files each of which reaches every other (strongly connected components; Tarjan 1972), each group sorted */
function findCircles(files: readonly string[]): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const circles: string[][] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    let low = index;
    path.push(file);
    for (const target of importsOf(file)) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (path.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(file, low);
    if (low === index) {
      const members = path.splice(path.indexOf(file));
      if (members.length > 1) circles.push(members.sort());
    }
    return low;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}

test('the rules see the files they are about', () => {
  expect(PRODUCT_FILES.length).toBeGreaterThan(200);
  expect(SOURCE_FILES.length).toBeGreaterThan(PRODUCT_FILES.length);
  expect(importsOf('shared/report/run-report.ts')).toContain('shared/report/plan/plan-report.ts');
});
