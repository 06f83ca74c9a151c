import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BuildOptions, buildSync, type Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** How a handler becomes one file. */
export const BUNDLING = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'], // the ES modules of packages that have both: unused code falls away
  sourcemap: false, // the report's would add 0.9 MB and a sixth to the time an instance takes to start
} as const satisfies BuildOptions;

/** Packages that have a smaller one of ours in their place, because a function has no use for the rest of them. */
const STAND_INS = { '@aws-sdk/credential-provider-node': './shared/lib/instance-credentials.ts' };

/** Bundled handlers in a temporary folder, which is gone after `using`. */
export interface HandlerBundles extends Disposable {
  /** @returns the folder that holds the handler's `index.mjs` and nothing else */
  folderOf(file: string): string;
  /** What each bundle was made from. */
  readonly metafile: Metafile;
}

/**
 * Bundles handlers of `functions/`, each as one minified ES module with the SDK inside: the runtime's own SDK is larger and starts slower.
 * One call of esbuild for all of them: `NodejsFunction` starts `npx esbuild` once a function, which takes nine times as long for nine.
 * @param files without their ending; their names differ, whatever folders they lie in
 */
export function bundleHandlers(files: readonly string[]): HandlerBundles {
  const outdir = mkdtempSync(join(tmpdir(), 'endcap-bundles-'));
  const { metafile } = buildSync({
    ...BUNDLING,
    alias: STAND_INS,
    entryPoints: files.map((file) => `functions/${file}.ts`),
    outdir,
    entryNames: '[name]/index',
    outExtension: { '.js': '.mjs' },
    metafile: true,
  });
  return {
    folderOf: (file) => join(outdir, basename(file)),
    metafile,
    [Symbol.dispose]: () => rmSync(outdir, { recursive: true, force: true }),
  };
}
