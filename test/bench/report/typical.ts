import * as z from 'zod';
import type { BenchRow } from '../bench-row.ts';
import { checkSameRows } from '../scan/check-same-rows.ts';
import { nextMessage, pinToOneCore, startProcess } from '../tools/child-process.ts';
import { startBenchEngine } from '../tools/engine.ts';
import { formatNumber } from '../tools/format.ts';
import { compareRuns, RUNS } from '../tools/runs.ts';
import type { Cost } from '../tools/timing.ts';
import { DAYS, loadBenchFolder, makeTypicalFolder, TYPICAL_DIMENSIONS, TYPICAL_REPORT } from './typical-report.ts';

const ROWS_PER_DAY = 33_000;
const Run = z.object({ wallMs: z.number(), cpuMs: z.number(), body: z.string() });
const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const Body = z.object({ data: z.array(Row), totalCount: z.number(), totals: Row });

/**
 * The typical report whole, from the table to the JSON body of the response, against DuckDB with one thread from local zstd Parquet files of the same rows to the
 * same JSON. Both processes run on the same core, in turn; the embedded table may use all cores, and its time counts as Endcap's elapsed time.
 */
export async function benchTypical(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  using folder = makeTypicalFolder(ROWS_PER_DAY);
  const { tableName, endpoint } = await loadBenchFolder(engine, folder);
  const endcap = startProcess(new URL('./report-process.ts', import.meta.url), {
    TABLE_NAME: tableName,
    TABLE_ENDPOINT: endpoint,
  });
  const peer = startProcess(new URL('./duckdb-process.ts', import.meta.url));
  const runIn = async (child: typeof endcap, message: object) => {
    const result = nextMessage(child);
    child.send(message);
    return Run.parse(await result);
  };
  try {
    const ready = nextMessage(peer);
    peer.send(folder.path);
    await ready;
    const isPinned = [endcap, peer].map(pinToOneCore).every((done) => done);
    const results: BenchRow[] = [];
    for (const [index, { from, dimensions }] of TYPICAL_DIMENSIONS.entries()) {
      const [costs, peerCosts]: [Cost[], Cost[]] = [[], []];
      for (let run = 0; run < RUNS; run++) {
        const own = await runIn(endcap, { index });
        const other = await runIn(peer, { index });
        if (run === 0) checkSameBody(dimensions, own.body, other.body);
        costs.push(own);
        peerCosts.push(other);
      }
      const { peer: duckdb, note, ...figures } = compareRuns(costs, peerCosts);
      results.push({
        what: `from ${from}: by ${dimensions.join(', ')}`,
        ...figures,
        peer: `DuckDB: ${duckdb}`,
        target: from === 'facts' ? '≤ 1.25' : '≤ 0.3',
        note: `${formatNumber(ROWS_PER_DAY)} rows of delivery per day and 8 % as many conversions, ${DAYS} days; ${note}${isPinned ? '' : '; taskset is missing here, so all cores were used'}`,
      });
    }
    return results;
  } finally {
    for (const child of [endcap, peer]) child.kill();
  }
}

function checkSameBody(
  dimensions: (typeof TYPICAL_DIMENSIONS)[number]['dimensions'],
  body: string,
  peerBody: string,
): void {
  const [own, other] = [Body.parse(JSON.parse(body)), Body.parse(JSON.parse(peerBody))];
  if (own.totalCount !== other.totalCount)
    throw new Error(`Endcap has ${own.totalCount} groups, and DuckDB ${other.totalCount}`);
  const { metrics } = TYPICAL_REPORT;
  const valuesOf = (rows: typeof own.data, names: readonly string[]) =>
    rows.map((row) => names.map((name) => row[name]));
  checkSameRows({ dimensions, metrics }, own.data, valuesOf(other.data, [...dimensions, ...metrics]), 1);
  checkSameRows({ dimensions: [], metrics }, [own.totals], valuesOf([other.totals], metrics), 1);
}
