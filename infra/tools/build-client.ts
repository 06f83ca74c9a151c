import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { runCli } from '../cli/run-cli.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'shared/client/client.ts');
const FOLDER = join(ROOT, 'dist/client');

/**
 * Builds the package's entry `endcap/client`: one minified module that needs nothing else, and its types. Packing the project runs this, because
 * Node does not run TypeScript below node_modules.
 */
await runCli(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
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
});
