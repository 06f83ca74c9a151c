/** `npm run bench`: measures beside its peers what the service promises, and prints a table. It fails on errors only, never on a figure. */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchRow } from './bench-row.ts';
import { renderRows } from './render-rows.ts';

/** The benches in their order, and the module of each: `read-units.ts` exports `benchReadUnits`. */
const BENCHES = new Map([
  ['scan', 'scan'],
  ['sizes', 'sizes'],
  ['rollups', 'rollups'],
  ['read-units', 'read-units'],
  ['listings', 'listings'],
  ['chain', 'chain'],
  ['load', 'load'],
  ['bundles', 'bundle-rows'],
]);
type Bench = (rows: number) => Promise<BenchRow[]>;

const USAGE = `usage: npm run bench -- [--rows N] [--only NAME,…]

  --rows N       fact rows, 1,000,000 unless given, of the benches whose size can be chosen
  --only NAMES   some of ${[...BENCHES.keys()].join(', ')}
`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    only: { type: 'string', default: [...BENCHES.keys()].join(',') },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else await run(readRows(values.rows), readFiles(values.only));

async function run(rows: number, files: readonly string[]): Promise<void> {
  const results: BenchRow[] = [];
  for (const file of files) {
    process.stderr.write(`${file} … `);
    const started = performance.now();
    try {
      results.push(...(await measure(file, rows)));
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

async function measure(file: string, rows: number): Promise<BenchRow[]> {
  const exported = `bench${file.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  const module: Readonly<Record<string, unknown>> = await import(`./${file}.ts`);
  const bench = module[exported];
  if (typeof bench !== 'function') throw new Error(`${file}.ts exports no ${exported}`);
  return (bench as Bench)(rows); // the rule that BENCHES states
}

function readRows(text: string): number {
  if (!/^[1-9]\d{3,8}$/.test(text))
    throw new Error(`--rows is ${text}; it may be a whole number from 1,000 on\n${USAGE}`);
  return Number(text);
}

/** @returns the modules of the benches that are asked for and exist, in the order of the table */
function readFiles(text: string): string[] {
  const names = new Set(text.split(','));
  const unknown = [...names].filter((name) => !BENCHES.has(name));
  if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(', ')}\n${USAGE}`);
  const files = [...BENCHES].flatMap(([name, file]) => (names.has(name) ? [file] : []));
  return files.filter((file) => existsSync(join(import.meta.dirname, `${file}.ts`)));
}
