import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { packColumns } from '../../../shared/columns/pack.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { codeFacts, encodeFactRows } from '../../support/encode-fact-rows.ts';
import type { BenchRow } from '../bench-row.ts';
import { runProcess } from '../tools/child-process.ts';
import { formatMillions, formatNumber } from '../tools/format.ts';
import { generateDelivery } from '../tools/generate-facts.ts';

const ROWS_PER_DAY = 33_333;
const FACTOR = 10;

/** Reports with few groups, tens of thousands, and hundreds of thousands. */
const REPORTS = [
  { dimensions: ['hour'], sort: [] },
  { dimensions: ['ad_group_id', 'keyword'], sort: [{ field: 'cost', order: 'DESC' }] },
  { dimensions: ['entity_id', 'placement', 'division_banner', 'hour'], sort: [{ field: 'cost', order: 'DESC' }] },
] as const satisfies readonly GrowthReport[];

export type GrowthReport = Pick<ReportQuery, 'dimensions' | 'sort'>;

const Result = z.object({ ms: z.number(), groups: z.number(), peakMB: z.number() });

/** Memory of a function with one virtual processor. */
const MAX_MB = 1_769;

/** How a report's time grows when the rows grow tenfold, and its peak memory; the segments are read day by day from disk, each report in its own process. */
export async function benchGrowth(rows: number): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-growth-'));
  try {
    const days = Math.max(1, Math.round(rows / ROWS_PER_DAY));
    const rowCounts = Array.from({ length: days * FACTOR }, (_, day) => writeDay(folder, day));
    writeFileSync(join(folder, 'rows.json'), JSON.stringify(rowCounts));
    const results: BenchRow[] = [];
    for (const report of REPORTS) {
      const small = await run(folder, report, days);
      const large = await run(folder, report, days * FACTOR);
      const what = `${formatMillions(days * FACTOR * ROWS_PER_DAY)} rows by ${report.dimensions.join(', ')}`;
      results.push(
        {
          what: `${what}: time`,
          endcap: `${large.ms.toFixed(0)} ms`,
          peer: `${FACTOR} × the time of ${formatMillions(days * ROWS_PER_DAY)}: ${(small.ms * FACTOR).toFixed(0)} ms`,
          ratio: large.ms / (small.ms * FACTOR),
          target: '≤ 1.15',
          note: `${formatNumber(large.groups)} groups, and ${formatNumber(small.groups)} of a tenth of the rows; medians of 5 runs`,
        },
        {
          what: `${what}: peak memory of the process`,
          endcap: `${large.peakMB.toFixed(0)} MB`,
          peer: `a function: ${formatNumber(MAX_MB)} MB`,
          ratio: large.peakMB / MAX_MB,
          target: '≤ 1',
        },
      );
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the number of stored rows; rows with equal keys are stored as one */
function writeDay(folder: string, day: number): number {
  const { rows, columns } = encodeFactRows('delivery', codeFacts(generateDelivery(day, ROWS_PER_DAY)));
  const bytes = new Map([...columns].map(([name, column]) => [name, column.bytes]));
  writeFileSync(join(folder, String(day)), packColumns(bytes));
  return rows;
}

async function run(folder: string, report: GrowthReport, days: number) {
  const environment = { BENCH_FOLDER: folder, BENCH_REPORT: JSON.stringify(report), BENCH_DAYS: String(days) };
  return Result.parse(await runProcess(new URL('./growth-process.ts', import.meta.url), environment));
}
