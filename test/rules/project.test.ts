import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import featureFlags from 'aws-cdk-lib/recommended-feature-flags.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { PAGES } from './pages.ts';
import { listFiles, PRODUCT_FILES, ROOT, readSource } from './source-files.ts';

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

test('the client imports nothing but its own files, except types, so that it runs on every platform', () => {
  const files = PRODUCT_FILES.filter((file) => file.startsWith('shared/web/client/'));
  const statements = files.flatMap((file) => [
    ...readSource(file).matchAll(/^(?:import|export)( type)? [^;]*?from '([^']+)'/gm),
  ]);
  const imported = statements.filter(([, type]) => type === undefined).map(([, , from]) => from);
  expect(imported).toContain('./endcap-error.ts');
  expect(imported.filter((from) => !from?.startsWith('./'))).toEqual([]);
});

test('every module that handles events is bundled once', () => {
  const constructs = listFiles('infra').map(readSource);
  const handlers = listFiles('functions/events').map((file) => file.slice('functions/'.length, -'.ts'.length));
  const counts = handlers.map((name) => [name, constructs.filter((text) => text.includes(`'${name}'`)).length]);
  expect(Object.fromEntries(counts)).toEqual({
    'events/check-service': 1,
    'events/ingest-folder': 1,
    'events/measure-freshness': 1,
  });
});

test('the S3 client is imported by one file, and the DynamoDB client by the table and by what creates the local tables, besides runbooks', () => {
  const files = PRODUCT_FILES.filter((file) => !file.startsWith('infra/cli/operate/'));
  const importing = (sdk: string) => files.filter((file) => readSource(file).includes(`'${sdk}'`));
  expect(importing('@aws-sdk/client-s3')).toEqual(['shared/ingest/bucket.ts']);
  expect(importing('@aws-sdk/client-dynamodb')).toEqual([
    'infra/local/emulator/services/create-table.ts',
    'shared/store/table/reads.ts', // a type only
    'shared/store/table/table.ts',
  ]);
  expect(importing('@aws-sdk/lib-dynamodb')).toEqual(['shared/store/table/reads.ts', 'shared/store/table/table.ts']);
});

/** The libraries that the project is built on. */
test.each([
  '@middy/core',
  '@middy/http-json-body-parser',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/client-kms',
  'jose',
  'zod',
  'aws-cdk-lib',
  'constructs',
])('the product imports %s', (name) => {
  const importing = new RegExp(`^import (?!type )[^;]*? from '${name}(/[\\w-]+)*';`, 'm');
  expect(PRODUCT_FILES.filter((file) => importing.test(readSource(file)))).not.toEqual([]);
});

test('only what shared/lib/clock.ts allows reads the monotonic clock, or the wall clock without a parameter', () => {
  const readers = PRODUCT_FILES.filter((file) => /^(functions|shared)\/(?!web\/)/.test(file)).flatMap((file) => {
    const clocks = readSource(file).match(/(?:performance|Date)\.now(?=\()/g) ?? [];
    return clocks.length === 0 ? [] : [`${file}: ${[...new Set(clocks)]}`];
  });
  expect(readers.sort()).toEqual([
    'functions/events/ingest-folder.ts: Date.now', // an expiry that is stored, and what is logged
    'functions/processes/loader.ts: Date.now', // an expiry that is stored
    'shared/http/chain/open-chain.ts: performance.now', // what is logged
    'shared/ingest/progress-writer.ts: performance.now', // what is shown
    'shared/ingest/wait-for-report.ts: performance.now', // the silence of another process
    'shared/lib/clock.ts: performance.now,Date.now',
    'shared/lib/log.ts: Date.now', // what is logged
    'shared/load/load-folder.ts: performance.now', // what is shown
    'shared/load/write/write-folder.ts: performance.now', // what is shown
    'shared/store/commit/lease.ts: performance.now', // the silence of another load
    'shared/store/table/calls.ts: performance.now', // how long a loader has retried
    'shared/store/table/write-rate.ts: performance.now', // how fast a loader writes
  ]);
});

test('only the app and the stack import the CDK, which takes seconds to load', () => {
  const importing = PRODUCT_FILES.filter((file) => readSource(file).includes("from 'aws-cdk-lib"));
  expect(importing.filter((file) => file !== 'infra/app.ts' && !file.startsWith('infra/stack/'))).toEqual([]);
});

describe('package.json', () => {
  test.each(['dependencies', 'devDependencies', 'optionalDependencies'] as const)(
    'pins exact versions in %s',
    (group) => {
      const loose = Object.entries(manifest[group]).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
      expect(loose).toEqual([]);
    },
  );

  /** It reports in one sentence that Node 24 is missing. */
  test('and cdk.json and the configurations of vitest preload the check of the Node version', () => {
    const { app }: { app: string } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8'));
    const starts = [app, ...Object.values(manifest.scripts)].filter((command) => /\bnode /.test(command));
    expect(starts.length).toBeGreaterThan(5);
    expect(starts.filter((command) => !command.includes('node --import ./infra/preload.mjs '))).toEqual([]);
    const configurations = [
      'vitest.config.ts',
      ...listFiles('test').filter((name) => /vitest.*\.config\.ts$/.test(name)),
    ];
    expect(configurations).toContain('test/hostile/vitest.config.ts');
    const isChecked = (name: string) => /^import '(\.\/|(\.\.\/)+)infra\/preload\.mjs';/.test(readSource(name));
    expect(configurations.filter((name) => !isChecked(name))).toEqual([]);
  });

  test('has the scripts, and npx endcap the commands, that pages, workflows and the product name or run', () => {
    const workflows = [
      '.ci/run',
      ...readdirSync(join(ROOT, '.github/workflows')).map((name) => `.github/workflows/${name}`),
    ];
    const text = [...PAGES, ...workflows, ...PRODUCT_FILES].map(readSource).join('\n');
    const named = (pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name]) => name));
    const scripts = named(/npm run (?:--silent )?(\w+(?::\w+)?)/g);
    const commands = named(/npx endcap (\w+)/g);
    expect([scripts.has('load'), commands.has('audit')]).toEqual([true, true]);
    expect([...scripts].filter((name = '') => !(name in manifest.scripts))).toEqual([]);
    const program = readSource('infra/cli/endcap.mjs');
    expect([...commands].filter((name) => !program.includes(`\n  ${name}: [`))).toEqual([]);
  });
});

/** A newer library recommends other flags, some of which rename logical ids, so each one needs a decision. */
test('cdk.json has a value for every feature flag that the installed CDK recommends', () => {
  const { context } = JSON.parse(readSource('cdk.json'));
  expect(Object.keys(featureFlags).filter((flag) => !(flag in context))).toEqual([]);
});

describe('package-lock.json', () => {
  const lock: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  );

  /** npm ci rejects a lock file without them, and npm leaves out those that a registry does not have. */
  test('has the optional packages of every platform', () => {
    const wanted = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies).filter(([, version]) => path !== '' && /^\d/.test(version)),
    );
    expect(wanted.map(([name]) => name).filter((name) => !(`node_modules/${name}` in lock.packages))).toEqual([]);
    expect(wanted.length).toBeGreaterThan(20);
  });
});
