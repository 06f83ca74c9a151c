/** `npm run bench`: prints figures of the service beside those of its peers. Errors fail it; figures never do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runCli } from '../../infra/cli/run-cli.ts';
import type { BenchRow } from './bench-row.ts';
import { BENCHES, type Bench } from './benches.ts';
import { checkSections, renderSection, replaceSection, summarizeRows } from './sections.ts';
import { formatNumber } from './tools/format.ts';
import { timed } from './tools/timing.ts';

const DEFAULT_ROWS = 1_000_000;
const DEFAULT_NAMES = [...BENCHES].filter(([, { onlyIfNamed }]) => !onlyIfNamed).map(([name]) => name);
const USAGE = `usage: npm run bench -- [--rows N] [--only NAME,…] [--out FILE]

  --rows N       number of fact rows of ${namesWithSize().join(', ')}; ${formatNumber(DEFAULT_ROWS)} by default
  --only NAMES   some of ${[...BENCHES.keys()].join(', ')}, or "all";
                 by default ${DEFAULT_NAMES.join(', ')}
  --out FILE     also replaces the benches' sections of a Markdown file by short tables; they begin with <!-- bench NAME -->,
                 or with <!-- bench NAME N --> for another number of rows
`;

await runCli(async () => {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: String(DEFAULT_ROWS) },
      only: { type: 'string', default: DEFAULT_NAMES.join(',') },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(USAGE);
  else await run(parseRows(values.rows), parseNames(values.only), values.out);
});

async function run(rows: number, names: ReadonlySet<string>, out: string | undefined): Promise<void> {
  const named = [...BENCHES].filter(([name]) => names.has(name));
  const sectionNameOf = (name: string, { hasSize }: Bench) =>
    hasSize && rows !== DEFAULT_ROWS ? `${name} ${rows}` : name;
  if (out !== undefined) {
    const sectionNames = named.map(([name, bench]) => sectionNameOf(name, bench));
    checkSections(readFileSync(out, 'utf8'), sectionNames);
  }
  for (const [name, bench] of named) {
    const sectionName = sectionNameOf(name, bench);
    process.stderr.write(`${name} … `);
    try {
      const ms = await timed(async () => {
        const results = await bench.run(rows);
        const render = (shown: readonly BenchRow[]) =>
          renderSection(bench.about, describeConditions(bench, rows), shown);
        process.stdout.write(`${render(results)}\n`);
        if (out === undefined) return;
        const section = render(summarizeRows(results));
        writeFileSync(out, replaceSection(readFileSync(out, 'utf8'), sectionName, section));
      });
      process.stderr.write(`${(ms / 1000).toFixed(0)} s\n`);
    } catch (error) {
      process.stderr.write(`failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
    }
  }
}

function describeConditions({ hasSize }: Bench, rows: number): string {
  const [core, ...others] = cpus();
  const size = hasSize ? `, ${formatNumber(rows)} rows` : '';
  const machine = `${core?.model ?? 'an unknown processor'}, ${others.length + 1} cores, Node ${process.version}`;
  return `${new Date().toISOString().slice(0, 10)}${size}, ${machine}.`;
}

function namesWithSize(): string[] {
  return [...BENCHES].filter(([, { hasSize }]) => hasSize).map(([name]) => name);
}

function parseRows(text: string): number {
  if (!/^[1-9]\d{3,8}$/.test(text)) {
    throw new Error(`--rows is ${text}, but must be an integer from 1,000 to 999,999,999\n${USAGE}`);
  }
  return Number(text);
}

function parseNames(text: string): ReadonlySet<string> {
  const names = new Set(text === 'all' ? BENCHES.keys() : text.split(','));
  const unknown = [...names].filter((name) => !BENCHES.has(name));
  if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(', ')}\n${USAGE}`);
  return names;
}
