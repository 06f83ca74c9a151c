import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, PRODUCT_FILES, ROOT, readSource, SOURCE_FILES } from './source-files.ts';

describe('files', () => {
  it('none is over 300 lines', () => {
    expect(SOURCE_FILES.filter((file) => readSource(file).split('\n').length > 301)).toEqual([]);
  });

  it('every function of the stack has its file and every file its route', () => {
    const routes = readSource('infra/routes.ts');
    const files = readdirSync(join(ROOT, 'functions'))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -3));
    expect(files.filter((name) => !routes.includes(`'${name}'`))).toEqual([]);
    expect(files).toHaveLength(9);
  });

  it('every function that answers an event is made by one construct of the stack', () => {
    const constructs = listFiles('infra').map(readSource);
    const events = listFiles('functions/events').map((file) => file.slice('functions/'.length, -'.ts'.length));
    const made = events.map((name) => constructs.filter((text) => text.includes(`'${name}'`)).length);
    expect(Object.fromEntries(events.map((name, i) => [name, made[i]]))).toEqual({ 'events/ingest-folder': 1 });
  });

  it('the clients of the SDK are imported by one file each, and by what makes the local tables', () => {
    const importing = (sdk: string) => PRODUCT_FILES.filter((file) => readSource(file).includes(`'${sdk}'`));
    expect(importing('@aws-sdk/client-s3')).toEqual(['shared/ingest/bucket.ts']);
    expect(importing('@aws-sdk/client-dynamodb')).toEqual([
      'infra/emulator/services/create-tables.ts',
      'shared/store/table/client.ts',
    ]);
  });

  it('the top level holds what was agreed and what tools demand', () => {
    const allowed =
      /^(package(-lock)?\.json|tsconfig\.json|cdk\.json|infra|functions|shared|test|README\.md|LICENSE|SECURITY\.md|CONTRIBUTING\.md|CHANGELOG\.md|CODE_OF_CONDUCT\.md|biome\.json|vitest(\.[a-z]+)?\.config\.ts|redocly\.yaml|\..*|node_modules|cdk\.out)$/;
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
