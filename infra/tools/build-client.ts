import { execFileSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { runCli } from '../cli/run-cli.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'shared/web/client/client.ts');
const PACKAGE = join(ROOT, 'dist');
const FOLDER = join(PACKAGE, 'client');

/**
 * Builds the package of the client in `dist`: its entry `endcap/client` is one minified module that needs nothing else, with its types. It has a
 * package.json of its own, because the project's has all dependencies of the service.
 */
await runCli(async () => {
  rmSync(PACKAGE, { recursive: true, force: true });
  await build({
    entryPoints: [SOURCE],
    outfile: join(FOLDER, 'client.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    legalComments: 'none',
  });
  const emit = ['--declaration', '--emitDeclarationOnly', '--outDir', FOLDER, '--noEmit', 'false'];
  const rules = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--allowImportingTsExtensions'];
  const platform = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'esnext,dom', '--types', ''];
  execFileSync('tsc', [SOURCE, '--ignoreConfig', ...emit, ...rules, ...platform], { cwd: ROOT, stdio: 'inherit' });
  for (const file of globSync(join(FOLDER, '*.d.ts'))) {
    const types = readFileSync(file, 'utf8');
    writeFileSync(file, types.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")); // every compiler finds ./x.d.ts for ./x.js
  }
  const { name, version, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const description = 'Client for the API of an Endcap retail media network';
  const exports = { './client': { types: './client/client.d.ts', default: './client/client.js' } };
  const manifest = { name, version, description, license, type: 'module', engines, exports };
  writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(ROOT, 'shared/web/client/README.md'), join(PACKAGE, 'README.md'));
  cpSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));
});
