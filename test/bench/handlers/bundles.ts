import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, buildSync } from 'esbuild';
import { BUNDLING, bundleHandlers } from '../../../infra/bundle/bundle-handlers.ts';
import type { BenchRow } from '../bench-row.ts';
import { median } from '../tools/timing.ts';

/** Measured starts of each bundle. */
const STARTS = 11;
/** The largest bundle of a listing, and those of another kind. */
const FUNCTIONS = ['list-fields', 'submit-report', 'get-jwt', 'get-jwks'];
/** The functions whose response is a token or its claims. */
const TOKEN_FUNCTIONS: readonly string[] = ['get-jwt', 'get-jwt-claims'];
const TARGETS = { tokens: '≤ 1.35', others: '≤ 1.2' };

/** Module init and size of the functions' bundles, against a bare handler that creates a document client. */
export async function benchBundles(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-bundles-'));
  const bundleOf = (name: string) => join(folder, name, 'index.mjs');
  try {
    await bundleHandlers([...FUNCTIONS, '../test/bench/handlers/bare-handler'], folder);
    const { mainFields, ...flags } = BUNDLING;
    const bare = bundleBare(join(folder, 'bare.mjs'), { ...flags, mainFields: [...mainFields] });
    const byDefault = bundleBare(join(folder, 'by-default.mjs'), flags);
    const rows = FUNCTIONS.flatMap((name) => compare(name, bundleOf(name), bare));
    const note =
      `the bare handler is bundled with the functions' flags; with esbuild's default package entries it has ${kilobytes(byDefault)}, ` +
      `with the functions' substitutes for modules of the SDK ${kilobytes(bundleOf('bare-handler'))}`;
    return rows.map((row, i) => (i === 0 ? { ...row, note } : row));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function compare(name: string, file: string, bare: string): BenchRow[] {
  const [initMs, bareInitMs] = startInTurn(file, bare);
  const target = TOKEN_FUNCTIONS.includes(name) ? TARGETS.tokens : TARGETS.others;
  return [
    {
      what: `module init of ${name}`,
      endcap: `${initMs.toFixed(0)} ms`,
      peer: `bare handler: ${bareInitMs.toFixed(0)} ms`,
      ratio: initMs / bareInitMs,
      target,
    },
    {
      what: `bundle of ${name}`,
      endcap: kilobytes(file),
      peer: `bare handler: ${kilobytes(bare)}`,
      ratio: statSync(file).size / statSync(bare).size,
      target,
    },
  ];
}

function kilobytes(file: string): string {
  return `${Math.round(statSync(file).size / 1000)} kB`;
}

function bundleBare(outfile: string, flags: BuildOptions): string {
  // CommonJS entries of packages call require.
  const banner = { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" };
  buildSync({ ...flags, outfile, banner, entryPoints: [join(import.meta.dirname, 'bare-handler.ts')] });
  return outfile;
}

/** @returns the median start times of the two files, which start alternately so that other load affects both alike */
function startInTurn(first: string, second: string): [number, number] {
  const times: [number, number][] = [];
  for (let start = 0; start <= STARTS; start++) times.push([timeImport(first), timeImport(second)]);
  const [, ...measured] = times; // the first start of each file reads it from disk
  return [median(measured.map(([ms]) => ms)), median(measured.map(([, ms]) => ms))];
}

const IMPORT =
  'const t=performance.now();await import(process.argv[1]);process.stdout.write(String(performance.now()-t))';

function timeImport(file: string): number {
  const args = ['--input-type=module', '--eval', IMPORT, pathToFileURL(file).href];
  return Number(execFileSync(process.execPath, args, { env: ENVIRONMENT, encoding: 'utf8' }));
}

const attribution = { windowDays: 14, basis: 'conversion day' };

/** The environment of the functions from the stack and from Lambda. */
const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  TABLE_NAME: 'table',
  JWT_KEY_IDS: 'key',
  JWT_ISSUER: 'urn:endcap:bench',
  JWT_AUDIENCE: 'endcap',
  TIME_ZONE: 'America/New_York',
  CURRENCY: 'USD',
  MARKET_MIN_OTHERS: '3',
  PRODUCT_IDS: 'upc',
  WEEK_STARTS_ON: 'Monday',
  ATTRIBUTION: JSON.stringify({ pla: attribution, toa: attribution, carousel: attribution }),
};
