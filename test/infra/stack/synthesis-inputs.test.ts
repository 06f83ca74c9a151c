import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { INPUTS } from '../../../infra/emulator/template/synthesize.ts';
import { bundlePages } from '../../../infra/stack/bundle-pages.ts';

const ROOT = join(import.meta.dirname, '../../..');

const inputs = new Set(globSync(INPUTS, { cwd: ROOT }));

test('a change of any source of the app and its bundles makes the local stage synthesize again', () => {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: ['infra/app.ts', 'shared/web/explorer/main.tsx', ...globSync('functions/**/*.ts', { cwd: ROOT })],
    bundle: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    jsx: 'automatic',
    metafile: true,
  });
  const sources = Object.keys(metafile.inputs);
  expect(sources).toEqual(expect.arrayContaining(['infra/stack/api-stack.ts', 'shared/web/explorer/main.tsx']));
  expect(sources.filter((file) => !inputs.has(file))).toEqual([]);
});

test('a change of any file that is copied for the pages makes the local stage synthesize again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-pages-'));
  try {
    bundlePages(folder, '/v2');
    const contentsOf = (files: readonly string[]) => files.map((file) => readFileSync(file, 'latin1'));
    const pages = join(folder, 'pages');
    const served = new Set(
      contentsOf(
        ['docs', 'explorer'].flatMap((name) => readdirSync(join(pages, name)).map((file) => join(pages, name, file))),
      ),
    );
    const sources = globSync('shared/**/*.*', { cwd: ROOT });
    // a source is copied if a page has its content
    const copied = sources.filter((file) => served.has(readFileSync(join(ROOT, file), 'latin1')));
    expect(copied.sort()).toEqual([
      'shared/web/explorer/icon.svg',
      'shared/web/pages/docs/page.css',
      'shared/web/pages/docs/page.js',
      'shared/web/pages/docs/text.css',
    ]);
    expect(copied.filter((file) => !inputs.has(file))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
