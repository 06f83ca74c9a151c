/** `npm run bench`: measures beside its peers what the service promises, and prints a table. It fails on errors only, never on a figure. */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { benchAgency } from './agency.ts';
import type { BenchRow } from './bench-row.ts';
import { benchBundleRows } from './bundle-rows.ts';
import { benchChain } from './chain.ts';
import { benchGrowth } from './growth.ts';
import { benchListings } from './listings.ts';
import { benchLoad } from './load.ts';
import { benchOneCore } from './one-core.ts';
import { benchPages } from './pages.ts';
import { benchReadUnits } from './read-units.ts';
import { renderRows } from './render-rows.ts';
import { benchRollups } from './rollups.ts';
import { benchScan } from './scan.ts';
import { benchSizes } from './sizes.ts';

/** In the order of the table. */
const BENCHES: ReadonlyMap<string, (rows: number) => Promise<BenchRow[]>> = new Map([
  ['scan', benchScan],
  ['sizes', benchSizes],
  ['rollups', benchRollups],
  ['read-units', benchReadUnits],
  ['pages', benchPages],
  ['one-core', benchOneCore],
  ['listings', benchListings],
  ['chain', benchChain],
  ['load', benchLoad],
  ['bundles', benchBundleRows],
  ['growth', benchGrowth],
  ['agency', benchAgency],
]);
/** Not run unless named: making what they measure takes longer than all others together. */
const ONLY_NAMED = new Set(['agency', 'growth']);

const USAGE = `usage: npm run bench -- [--rows N] [--only NAME,…]

  --rows N       fact rows, 1,000,000 unless given, of the benches whose size can be chosen
  --only NAMES   some of ${[...BENCHES.keys()].join(', ')}; all but ${[...ONLY_NAMED].join(', ')} unless given
`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string', default: [...BENCHES.keys()].filter((name) => !ONLY_NAMED.has(name)).join(',') },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else await run(readRows(values.rows), readNames(values.only));

async function run(rows: number, names: ReadonlySet<string>): Promise<void> {
  const results: BenchRow[] = [];
  for (const [name, bench] of BENCHES) {
    if (!names.has(name)) continue;
    process.stderr.write(`${name} … `);
    const started = performance.now();
    try {
      results.push(...(await bench(rows)));
      process.stderr.write(`${((performance.now() - started) / 1000).toFixed(0)} s\n`);
    } catch (error) {
      process.stderr.write(`failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    }
  }
  const cores = cpus();
  const machine = `${cores[0]?.model ?? 'unknown processor'}, ${cores.length} cores, Node ${process.version}`;
  const scale = `${rows.toLocaleString('en-US')} rows`;
  process.stdout.write(`${new Date().toISOString().slice(0, 10)} · ${machine} · ${scale}\n\n${renderRows(results)}`);
}

function readRows(text: string): number {
  if (!/^[1-9]\d{3,8}$/.test(text))
    throw new Error(`--rows is ${text}; it may be a whole number from 1,000 on\n${USAGE}`);
  return Number(text);
}

/** @returns the names, as they were given */
function readNames(text: string): ReadonlySet<string> {
  const names = new Set(text.split(','));
  const unknown = [...names].filter((name) => !BENCHES.has(name));
  if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(', ')}\n${USAGE}`);
  return names;
}
