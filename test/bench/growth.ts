import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { encodeDay } from '../../shared/columns/build-day.ts';
import { packColumns } from '../../shared/columns/pack.ts';
import type { BenchRow } from './bench-row.ts';
import { generateDelivery } from './generate-facts.ts';
import { GROWTH_REPORTS, ROWS_A_DAY } from './growth-reports.ts';
import { askApart } from './run-apart.ts';

const Answer = z.array(z.object({ ms: z.number(), groups: z.number(), peakMB: z.number() }));

/** What a function of one virtual processor has. */
const MAX_MB = 1_769;
const TIMES = 10;

/**
 * How a report's time grows with ten times the rows, and what memory it takes: segments on disk, read day by day, in a process of its own for each size and report.
 */
export async function benchGrowth(rows: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-growth-'));
  try {
    const few = Math.max(1, Math.round(rows / ROWS_A_DAY));
    const kept = Array.from({ length: few * TIMES }, (_, day) => writeDay(folder, day));
    writeFileSync(join(folder, 'rows.json'), JSON.stringify(kept));
    const results: BenchRow[] = [];
    for (const [shape, { dimensions }] of GROWTH_REPORTS.entries()) {
      const small = await run(folder, shape, few);
      const large = await run(folder, shape, few * TIMES);
      const what = `${millions(few * TIMES)} rows by ${dimensions.join(', ')}`;
      results.push(
        {
          what: `${what}: time`,
          ours: `${large.ms.toFixed(0)} ms`,
          peer: `${TIMES} × that of ${millions(few)}: ${(small.ms * TIMES).toFixed(0)} ms`,
          ratio: large.ms / (small.ms * TIMES),
          reach: '≤ 1.15',
          note: `${large.groups.toLocaleString('en-US')} groups, of the tenth ${small.groups.toLocaleString('en-US')}; medians of 5`,
        },
        {
          what: `${what}: memory of the whole process at its peak`,
          ours: `${large.peakMB.toFixed(0)} MB`,
          peer: `a function’s ${MAX_MB} MB`,
          ratio: large.peakMB / MAX_MB,
          reach: '≤ 1',
        },
      );
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns how many rows the day has: some were alike */
function writeDay(folder: string, day: number): number {
  const { rows, columns } = encodeDay('delivery', generateDelivery(day, ROWS_A_DAY));
  const bytes = new Map([...columns].map(([name, column]) => [name, column.bytes]));
  writeFileSync(join(folder, String(day)), packColumns(bytes));
  return rows;
}

async function run(folder: string, shape: number, days: number) {
  const environment = { BENCH_FOLDER: folder, BENCH_SHAPE: String(shape), BENCH_DAYS: String(days) };
  const [answer] = Answer.parse(await askApart('growth-process.ts', environment));
  if (answer === undefined) throw new Error('the process has not answered');
  return answer;
}

function millions(days: number): string {
  return `${((days * ROWS_A_DAY) / 1e6).toFixed(1)} M`;
}
