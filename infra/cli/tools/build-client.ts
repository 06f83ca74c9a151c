import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { CUSTOM_FIELDS } from '../../../shared/catalog/custom-fields.ts';
import { CUSTOM_METRICS } from '../../../shared/catalog/custom-metrics.ts';
import { runCli } from '../run-cli.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const CLIENT = join(ROOT, 'shared/web/client');
const PACKAGE = join(ROOT, 'dist');
const FOLDER = join(PACKAGE, 'client');
const TYPES = join(PACKAGE, 'types');

/** What makes the compiler write out a type whole. */
const EXPAND = `type Expand<T> = T extends readonly (infer Item)[]
  ? Expand<Item>[]
  : T extends object ? { [Name in keyof T]: Expand<T[Name]> } : T;
declare function expand<T>(): Expand<T>;`;

/**
 * Builds the package of the client in `dist`: its entry `endcap/client` is one minified module that needs nothing else, with its types. It has a
 * package.json of its own, because the project's has all dependencies of the service.
 */
await runCli(async () => {
  rmSync(PACKAGE, { recursive: true, force: true });
  await build({
    entryPoints: [join(CLIENT, 'client.ts')],
    outfile: join(FOLDER, 'client.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    legalComments: 'none',
  });
  writeTypes();
  const { name, version, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const description = 'Client for the API of an Endcap retail media network';
  const exports = { './client': { types: './client/client.d.ts', default: './client/client.js' } };
  const manifest = { name, version, description, license, type: 'module', engines, exports };
  writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(CLIENT, 'README.md'), join(PACKAGE, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));
});

/**
 * Writes the declarations of the client. Those of `schema.ts` refer to the schemas of the contract and to zod, so they are replaced by what the compiler
 * infers from them: it writes out the type of a constant.
 */
function writeTypes(): void {
  const schema = join(CLIENT, 'schema.ts');
  const names = [...readFileSync(schema, 'utf8').matchAll(/^export type (\w+)/gm)].map(([, name]) => name);
  const expanded = join(TYPES, 'expanded.ts');
  mkdirSync(TYPES, { recursive: true });
  const constants = names.map((name) => `export const ${name} = expand<schema.${name}>();`);
  writeFileSync(expanded, [`import type * as schema from '${schema}';`, EXPAND, ...constants].join('\n'));
  const emit = ['--declaration', '--emitDeclarationOnly', '--outDir', TYPES, '--rootDir', ROOT, '--noEmit', 'false'];
  const rules = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--allowImportingTsExtensions'];
  const platform = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'esnext,dom', '--types', 'node'];
  const sources = [join(CLIENT, 'client.ts'), expanded];
  execFileSync('tsc', [...sources, '--ignoreConfig', ...emit, ...rules, ...platform], { cwd: ROOT, stdio: 'inherit' });
  for (const file of globSync(join(TYPES, 'shared/web/client/*.d.ts'))) {
    const types = readFileSync(file, 'utf8');
    writeFileSync(join(FOLDER, basename(file)), types.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")); // every compiler finds ./x.d.ts for ./x.js
  }
  const types = readFileSync(join(TYPES, 'dist/types/expanded.d.ts'), 'utf8');
  const written = types.replaceAll(/^export declare const (\w+):/gm, 'export type $1 =');
  writeFileSync(join(FOLDER, 'schema.d.ts'), withCustomFields(written));
  rmSync(TYPES, { recursive: true });
}

/** @returns the types with the operator's own fields */
function withCustomFields(types: string): string {
  const metrics = Object.keys(CUSTOM_METRICS);
  const dimensions = Object.keys(CUSTOM_FIELDS.dimensions);
  const union = (names: readonly string[]) => names.map((name) => `"${name}" | `).join('');
  const members = (names: readonly string[], type: string) =>
    names.map((name) => `\n    readonly ${name}: ${type} | null;`).join('');
  return types
    .replace('export type Metric = ', `$&${union(metrics)}`)
    .replace('export type Dimension = ', `$&${union(dimensions)}`)
    .replace('export type FieldValues = {', `$&${members(metrics, 'number')}${members(dimensions, 'string')}`);
}
