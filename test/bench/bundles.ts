import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';
import { ROUTES } from '../../infra/routes.ts';
import { BUNDLING, bundleHandlers } from '../../infra/stack/bundle-handlers.ts';
import { median } from './bench-row.ts';

/** Starts of each bundle; the median counts. */
const STARTS = 11;
/** What a function may be of the bare handler; those that sign or verify carry KMS and JOSE, too. */
const MOST = { listing: 1.2, tokens: 1.35 };
const TOKEN_FUNCTIONS: readonly string[] = ['get-jwt', 'get-jwt-claims'];

/** One function beside the bare handler. */
export interface BundleRow {
  readonly name: string;
  /** Minified bytes. */
  readonly bytes: number;
  readonly sizeRatio: number;
  /** Median time of importing the bundle in a process of its own, and of the bare handler in turn with it. */
  readonly initMs: number;
  readonly bareInitMs: number;
  readonly initRatio: number;
  /** What both ratios are to stay at or below. */
  readonly most: number;
}

export interface BundleBench {
  readonly rows: readonly BundleRow[];
  /** Bytes of a handler that makes a document client, bundled with the functions' flags: what they are compared with. */
  readonly bareBytes: number;
  /** The same by esbuild's own choice of a package's entry, as it comes out elsewhere. */
  readonly bareBytesByDefault: number;
  /** The same with the stand-in for the SDK's credential providers, which the functions have and nobody else. */
  readonly bareBytesWithStandIn: number;
}

/** Measures each function's bundle: its size, and how long a new instance takes to import it. */
export async function benchBundles(): Promise<BundleBench> {
  const names = ROUTES.map((route) => route.function);
  using bundles = bundleHandlers([...names, '../test/bench/bare-handler']);
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bare-'));
  try {
    const { mainFields, ...flags } = BUNDLING;
    const bare = bundleBare(join(folder, 'bare.mjs'), { ...flags, mainFields: [...mainFields] });
    const byDefault = bundleBare(join(folder, 'by-default.mjs'), flags);
    const bareBytes = statSync(bare).size;
    const rows = names.map((name) => {
      const file = join(bundles.folderOf(name), 'index.mjs');
      const bytes = statSync(file).size;
      const [initMs, bareInitMs] = startInTurn(file, bare);
      const most = TOKEN_FUNCTIONS.includes(name) ? MOST.tokens : MOST.listing;
      return { name, bytes, sizeRatio: bytes / bareBytes, initMs, bareInitMs, initRatio: initMs / bareInitMs, most };
    });
    return {
      rows,
      bareBytes,
      bareBytesByDefault: statSync(byDefault).size,
      bareBytesWithStandIn: statSync(join(bundles.folderOf('bare-handler'), 'index.mjs')).size,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function bundleBare(outfile: string, flags: BuildOptions): string {
  // what packages' `main` entries need of CommonJS
  const banner = { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" };
  buildSync({ ...flags, outfile, banner, entryPoints: [join(import.meta.dirname, 'bare-handler.ts')] });
  return outfile;
}

/** @returns the medians, in the order of the files, which start in turn so that the machine's moods meet both alike */
function startInTurn(first: string, second: string): [number, number] {
  const times: [number, number][] = [];
  for (let start = 0; start <= STARTS; start++) times.push([timeImport(first), timeImport(second)]);
  const [, ...counted] = times; // the first start of each reads it from the disk
  return [median(counted.map(([ms]) => ms)), median(counted.map(([, ms]) => ms))];
}

const IMPORT =
  'const t=performance.now();await import(process.argv[1]);process.stdout.write(String(performance.now()-t))';

function timeImport(file: string): number {
  const args = ['--input-type=module', '--eval', IMPORT, pathToFileURL(file).href];
  return Number(execFileSync(process.execPath, args, { env: ENVIRONMENT, encoding: 'utf8' }));
}

const attribution = { windowDays: 14, basis: 'conversion day' };

/** What the stack gives to its functions, and Lambda to all. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  TABLE_NAME: 'table',
  JWT_KEY_ID: 'key',
  JWT_ISSUER: 'urn:endcap:bench',
  JWT_AUDIENCE: 'endcap',
  TIME_ZONE: 'America/New_York',
  CURRENCY: 'USD',
  ATTRIBUTION: JSON.stringify({ pla: attribution, toa: attribution, carousel: attribution }),
};
