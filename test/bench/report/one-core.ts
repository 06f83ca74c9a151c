import * as z from 'zod';
import type { BenchRow } from '../bench-row.ts';
import { nextMessage, pinToOneCore, startProcess } from '../tools/child-process.ts';
import { startBenchEngine } from '../tools/engine.ts';
import { formatNumber } from '../tools/format.ts';
import { compareRuns, RUNS } from '../tools/runs.ts';
import type { Cost } from '../tools/timing.ts';
import { DAYS, loadTypicalFacts, TYPICAL_DIMENSIONS } from './typical-report.ts';

const ROWS_PER_DAY = 33_000;
const ReportCost = z.object({ wallMs: z.number(), cpuMs: z.number() });

/**
 * The typical report under the limits of a function with one core: pinned to one core, and with a table that is 5 ms away and returns 24 MB/s per
 * partition key; against the same report without these limits. Both use the embedded table and include its
 * processing time, and have connected to it before the first report, as an instance does while it starts.
 */
export async function benchOneCore(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  const { tableName, endpoint } = await loadTypicalFacts(engine, ROWS_PER_DAY);
  const proxy = startProcess(new URL('./slow-table.ts', import.meta.url));
  const listening = nextMessage(proxy);
  proxy.send(endpoint);
  const slowEndpoint = String(await listening);
  const startRunner = (to: string) =>
    startProcess(new URL('./report-process.ts', import.meta.url), { TABLE_NAME: tableName, TABLE_ENDPOINT: to });
  const [limited, unlimited] = [startRunner(slowEndpoint), startRunner(endpoint)];
  try {
    const isPinned = pinToOneCore(limited);
    const results: BenchRow[] = [];
    for (const [index, { from, dimensions }] of TYPICAL_DIMENSIONS.entries()) {
      const [limitedCosts, unlimitedCosts]: [Cost[], Cost[]] = [[], []];
      for (let run = 0; run < RUNS; run++) {
        limitedCosts.push(await runIn(limited, index));
        unlimitedCosts.push(await runIn(unlimited, index));
      }
      const { peer: withoutLimits, note, ...figures } = compareRuns(limitedCosts, unlimitedCosts);
      results.push({
        what: `from ${from}: by ${dimensions.join(', ')}`,
        ...figures,
        peer: `without the limits: ${withoutLimits}`,
        target: 'none',
        note: `${formatNumber(ROWS_PER_DAY)} rows per day, ${DAYS} days; ${note}${isPinned ? '' : '; taskset is missing here, so all cores were used'}`,
      });
    }
    return results;
  } finally {
    for (const child of [proxy, limited, unlimited]) child.kill();
  }
}

async function runIn(child: ReturnType<typeof startProcess>, index: number): Promise<Cost> {
  const message = nextMessage(child);
  child.send({ index });
  return ReportCost.parse(await message);
}
