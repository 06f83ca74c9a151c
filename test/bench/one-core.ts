import { execFileSync } from 'node:child_process';
import * as z from 'zod';
import { type BenchRow, median } from './bench-row.ts';
import { startEngineApart } from './engine-apart.ts';
import { loadTypicalFacts, TYPICAL_DIMENSIONS } from './read-units.ts';
import { nextMessage, startApart } from './run-apart.ts';
import type { Spent } from './timing.ts';

const ROWS_A_DAY = 33_000;
const RUNS = 9;
const Answer = z.object({ wallMs: z.number(), cpuMs: z.number() });

/**
 * The typical report as a function of one core has it: on one core, 5 ms from the table, which gives 24 MB/s a partition key; beside it the same without
 * these bounds. The table is the embedded engine, whose own time is in both.
 */
export async function benchOneCore(): Promise<BenchRow[]> {
  using engine = startEngineApart();
  const { tableName, endpoint } = await loadTypicalFacts(engine, ROWS_A_DAY);
  const proxy = startApart('slow-table.ts');
  const environment = { TABLE_NAME: tableName };
  const [bound, free] = [startApart('report-process.ts', environment), startApart('report-process.ts', environment)];
  try {
    const listening = nextMessage(proxy);
    proxy.send(endpoint);
    const slow = String(await listening);
    const pinned = pinToOneCore(bound.pid);
    const results: BenchRow[] = [];
    for (const [shape, { from, dimensions }] of TYPICAL_DIMENSIONS.entries()) {
      const [mine, plain]: [Spent[], Spent[]] = [[], []];
      for (let run = 0; run < RUNS; run++) {
        mine.push(await ask(bound, slow, shape));
        plain.push(await ask(free, endpoint, shape));
      }
      results.push({
        what: `typical report from ${from} (${dimensions.join(', ')}), one core, table 5 ms away, 24 MB/s a key`,
        ours: show(mine),
        peer: `plain: ${show(plain)}`,
        ratio: median(mine.map((it) => it.wallMs)) / median(plain.map((it) => it.wallMs)),
        reach: 'stated',
        note: `${ROWS_A_DAY.toLocaleString('en-US')} rows a day, 30 days${pinned ? '' : '; there is no taskset here: on all cores'}`,
      });
    }
    return results;
  } finally {
    for (const child of [proxy, bound, free]) child.kill();
  }
}

async function ask(child: ReturnType<typeof startApart>, endpoint: string, shape: number): Promise<Spent> {
  const answer = nextMessage(child);
  child.send({ endpoint, shape });
  return Answer.parse(await answer);
}

/** @returns whether it could be */
function pinToOneCore(pid: number | undefined): boolean {
  try {
    execFileSync('taskset', ['-acp', '0', String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function show(runs: readonly Spent[]): string {
  const wall = runs.map((it) => it.wallMs);
  const cpu = median(runs.map((it) => it.cpuMs));
  return `${median(wall).toFixed(0)} ms (first ${(wall[0] ?? 0).toFixed(0)}, processor ${cpu.toFixed(0)})`;
}
