import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const sources = ['functions', 'infra', 'shared', 'test'].flatMap((folder) => listFiles(join(ROOT, folder)));
const product = sources.filter((file) => !file.startsWith('test/'));

/** Folders of shared and what each may import; files that lie in shared itself may be imported by all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
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

describe('imports run one way', () => {
  it('catalog and columns know nothing above them, and so on up to the functions', () => {
    const wrong = product.flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(file, target))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the product imports nothing of the tests', () => {
    expect(product.filter((file) => importsOf(file).some((target) => target.startsWith('test/')))).toEqual([]);
  });
});

describe('files', () => {
  it('none is over 400 lines', () => {
    const long = sources.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 400);
    expect(long).toEqual([]);
  });

  it('every function of the stack has its file and every file its route', () => {
    const routes = readFileSync(join(ROOT, 'infra/routes.ts'), 'utf8');
    const files = readdirSync(join(ROOT, 'functions'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -3));
    expect(files.filter((name) => !routes.includes(`'${name}'`))).toEqual([]);
    expect(files).toHaveLength(9);
  });

  it('every function that answers an event is made by one construct of the stack', () => {
    const constructs = listFiles(join(ROOT, 'infra')).map((file) => readFileSync(join(ROOT, file), 'utf8'));
    const events = listFiles(join(ROOT, 'functions/events')).map((file) =>
      file.slice('functions/'.length, -'.ts'.length),
    );
    const made = events.map((name) => constructs.filter((text) => text.includes(`'${name}'`)).length);
    expect(Object.fromEntries(events.map((name, i) => [name, made[i]]))).toEqual({ 'events/ingest-folder': 1 });
  });

  it('only one file knows each client of the SDK', () => {
    const knowing = (sdk: string) =>
      product.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes(`'${sdk}'`));
    expect(knowing('@aws-sdk/client-s3')).toEqual(['shared/ingest/bucket.ts']);
    expect(knowing('@aws-sdk/client-dynamodb')).toEqual([
      'infra/emulator/services/create-tables.ts',
      'shared/store/table/client.ts',
    ]);
  });

  it('the top level holds what was agreed and what tools demand', () => {
    const allowed =
      /^(package(-lock)?\.json|tsconfig\.json|cdk\.json|infra|functions|shared|test|README\.md|LICENSE|SECURITY\.md|biome\.json|vitest(\.[a-z]+)?\.config\.ts|redocly\.yaml|\..*|node_modules|cdk\.out)$/;
    expect(readdirSync(ROOT).filter((name) => !allowed.test(name))).toEqual([]);
  });
});

describe('dependencies', () => {
  const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );

  it.each(['dependencies', 'devDependencies', 'optionalDependencies'])('%s are pinned to exact versions', (group) => {
    const loose = Object.entries(manifest[group] ?? {}).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});

describe('the lock file', () => {
  const lock: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  );

  it('has the packages of every platform, or npm ci refuses it; npm leaves out those that a registry does not have', () => {
    const wanted = Object.entries(lock.packages).flatMap(([at, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).filter(([, version]) => at !== '' && /^\d/.test(version)),
    );
    expect(wanted.map(([name]) => name).filter((name) => !(`node_modules/${name}` in lock.packages))).toEqual([]);
    expect(wanted.length).toBeGreaterThan(20);
  });
});

function mayImport(file: string, target: string): boolean {
  const [fromTop = '', from = ''] = file.split('/');
  const [toTop = '', to = ''] = target.split('/');
  if (fromTop === 'shared') {
    if (toTop !== 'shared') return false;
    return to.endsWith('.ts') || from.endsWith('.ts') || from === to || (MAY_IMPORT[from] ?? []).includes(to);
  }
  if (fromTop === 'functions') return toTop === 'shared' || toTop === 'functions';
  return toTop === 'shared' || toTop === 'infra'; // infra names functions by file only
}

/** @returns the project's own files that `file` imports, from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const names = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '');
  return names
    .map((name) => relative(ROOT, resolve(ROOT, dirname(file), name)))
    .filter((name) => existsSync(join(ROOT, name)));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => relative(ROOT, join(folder, name)));
}
