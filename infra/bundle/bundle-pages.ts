import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { Converter } from '@apiture/openapi-down-convert';
import { type BuildOptions, build } from 'esbuild';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';
import type { FileFolder } from '../../shared/web/pages/page-files.ts';
import { type PageEntries, PLACEHOLDER_PERIOD } from '../../shared/web/pages/pages.ts';
import type { PageAssets } from '../../shared/web/pages/write-html.ts';
import { ROUTES } from '../config/routes.ts';

const ROOT = join(import.meta.dirname, '../..');
const SWAGGER_UI = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const ICON = join(ROOT, 'shared/web/explorer/icon.svg');

/** Every synthesis takes this time; the best quality, 11, takes far longer. */
const BROTLI_QUALITY = 9;

/** The options with which esbuild bundles the explorer: modules that the page loads when they are first needed are files of their own. */
const EXPLORER = {
  absWorkingDir: ROOT,
  entryPoints: { explorer: 'shared/web/explorer/main.tsx' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: ['chrome125', 'firefox125', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: 'shared/web/explorer/tsconfig.json',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  legalComments: 'none',
  write: false,
  metafile: true,
} as const satisfies BuildOptions;

/**
 * Writes the files that the function `get-page` reads into `pages` below its bundle: the assets of the explorer, the documentation and the text pages, the list
 * of these assets (`entries.json`), and the OpenAPI document in two versions.
 * @param serverUrl the server in the document: the path of the stage, which the function completes
 */
export async function bundlePages(bundle: string, serverUrl: string): Promise<void> {
  const root = join(bundle, 'pages');
  await mkdir(root, { recursive: true });
  const [explorer, docs, text] = await Promise.all([bundleExplorer(root), copyDocs(root), copyText(root)]);
  const entries: PageEntries = { explorer, docs, text };
  await writeFile(join(root, 'entries.json'), JSON.stringify(entries));
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const document = buildOpenApi(ROUTES, { version, serverUrl, examplePeriod: PLACEHOLDER_PERIOD });
  await writeFile(join(root, 'openapi.json'), JSON.stringify(document));
  await writeFile(join(root, 'openapi-3.0.json'), JSON.stringify(toOpenApi30(document)));
}

async function bundleExplorer(root: string): Promise<PageAssets> {
  const { outputFiles, metafile } = await build({ ...EXPLORER, outdir: 'explorer' });
  await Promise.all(outputFiles.map(({ path, contents }) => writeAsset(root, 'explorer', basename(path), contents)));
  const source = EXPLORER.entryPoints.explorer;
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (entry === undefined) throw new Error(`esbuild has bundled no ${source}`);
  const [entryPath, { imports }] = entry;
  const nameOf = (path: string) => `explorer/${basename(path)}`;
  return {
    scripts: [nameOf(entryPath)],
    styles: Object.keys(metafile.outputs)
      .map(nameOf)
      .filter((name) => name.endsWith('.css')),
    icon: await copyAsset(root, 'explorer', ICON),
    preload: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => nameOf(path)),
  };
}

async function copyDocs(root: string): Promise<PageAssets> {
  const copy = (file: string) => copyAsset(root, 'docs', file);
  const own = (name: string) => copy(join(ROOT, 'shared/web/pages', name));
  const swagger = (name: string) => copy(join(SWAGGER_UI, name));
  return {
    scripts: await Promise.all([swagger('swagger-ui-bundle.js'), own('page.js')]),
    styles: await Promise.all([swagger('swagger-ui.css'), own('page.css')]),
    icon: await copy(ICON),
    preload: [],
  };
}

/** Copies the assets of the text pages: the start page and those of the problem types. */
async function copyText(root: string): Promise<PageAssets> {
  const copy = (file: string) => copyAsset(root, 'docs', file);
  const styles = [await copy(join(ROOT, 'shared/web/pages/text.css'))];
  return { scripts: [], styles, icon: await copy(ICON), preload: [] };
}

/** @returns the path of the copy, relative to `root`; its name contains a hash of the content */
async function copyAsset(root: string, folder: FileFolder, file: string): Promise<string> {
  const content = await readFile(file);
  const extension = extname(file);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8).toUpperCase(); // in the form of esbuild's hashes
  return writeAsset(root, folder, `${basename(file, extension)}-${hash}${extension}`, content);
}

async function writeAsset(root: string, folder: FileFolder, name: string, content: Uint8Array): Promise<string> {
  await mkdir(join(root, folder), { recursive: true });
  const path = join(root, folder, name);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  await writeFile(path, content);
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
  return `${folder}/${name}`;
}

/** @returns the OpenAPI 3.1 document as 3.0, for tools that do not read 3.1 */
function toOpenApi30(document: { readonly info: object }): object {
  const info = { ...document.info, summary: undefined };
  const simple = JSON.parse(JSON.stringify({ ...document, info }), (_key, value: unknown) => simplify(value));
  return new Converter(simple).convert();
}

/** Leaves out what 3.0 lacks and the converter keeps: conditions, and lists of types without null. */
function simplify(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { if: _if, then: _then, ...rest }: Readonly<Record<string, unknown>> = { ...value };
  const { type, allOf, ...others } = rest;
  if (Array.isArray(type) && !type.includes('null')) return { ...others, anyOf: type.map((one) => ({ type: one })) };
  return Array.isArray(allOf) && allOf.every((part) => Object.keys(part).length === 0) ? { type, ...others } : rest;
}
