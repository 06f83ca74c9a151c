import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

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
  '@modelcontextprotocol/server/_shims': './shared/lib/sdk/mcp-shims.ts',
  'node:http': './shared/lib/sdk/node-http.ts',
};

/** The schema of a service's error, and its registration with its class. */
const SERVICE_ERROR = /^export var \w+\$ = \[-3, n0,[^;]*;\nn0_registry\.registerError\(.*;$/gm;

/**
 * Leaves out of the SDK's clients what they contain of all operations: `package.json`, of which they send the version alone, and schemas and classes of service errors.
 * An error without a class is of the service's base class, with its name, message and fields, as an error that is newer than the client.
 */
const SMALLER_CLIENTS: Plugin = {
  name: 'smaller-clients',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-(dynamodb|kms)\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
    onLoad({ filter: /@aws-sdk\/client-(dynamodb|kms)\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(SERVICE_ERROR, ''),
    }));
  },
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
    plugins: [SMALLER_CLIENTS],
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
  await build({
    ...BUNDLING,
    alias: ALIASES,
    plugins: [SMALLER_CLIENTS],
    entryPoints: [`functions/${file}.ts`],
    outfile,
  });
}
