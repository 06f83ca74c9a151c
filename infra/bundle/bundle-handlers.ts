import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** The options with which esbuild bundles a handler into one file. */
export const BUNDLING = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  charset: 'utf8',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'], // prefers ES modules, from which esbuild can remove unused code
  sourcemap: false, // an instance would start more slowly
} as const satisfies BuildOptions;

/** Modules that are replaced by smaller ones with only the part that a function needs. */
const ALIASES = {
  '@aws-sdk/credential-provider-node': './shared/lib/sdk/environment-credentials.ts',
  '@aws-sdk/endpoint-cache': './shared/lib/sdk/endpoint-cache.ts',
  '@smithy/core/event-streams': './shared/lib/sdk/event-streams.ts',
  'node:http': './shared/lib/sdk/node-http.ts',
};

/**
 * Bundles handlers of `functions/`, each into one minified ES module, `NAME/index.mjs` in `outdir`. The SDK is included, because the runtime's own is larger and
 * starts more slowly. One esbuild run bundles all; the CDK construct `NodejsFunction` would start `npx esbuild` once per function.
 * @param files paths in `functions/` without their extension; their base names must be unique
 * @returns esbuild's list of the sources of each bundle
 */
export async function bundleHandlers(files: readonly string[], outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...BUNDLING,
    alias: ALIASES,
    entryPoints: files.map((file) => `functions/${file}.ts`),
    outdir,
    entryNames: '[name]/index',
    outExtension: { '.js': '.mjs' },
    metafile: true,
  });
  return metafile;
}

/** Bundles a module of `functions/` that a handler starts as a process. */
export async function bundleProcess(file: string, outfile: string): Promise<void> {
  await build({ ...BUNDLING, alias: ALIASES, entryPoints: [`functions/${file}.ts`], outfile });
}
