import { runCachedReport } from '../../../shared/report/cached-report.ts';
import type { ReportEnvelope, ReportQuery, ReportValue } from '../../../shared/report/query/query.ts';
import { openResult } from '../../../shared/store/cache/results.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { dateOf, daysFrom } from '../tools/bench-folder.ts';
import { type BenchTable, startBenchEngine } from '../tools/engine.ts';
import { formatMillions, formatNumber } from '../tools/format.ts';
import { median, timed } from '../tools/timing.ts';
import { loadTypicalFacts, SCOPE, TYPICAL_REPORT } from './typical-report.ts';

const ROWS_PER_DAY = 33_000;
const DAYS = 120;
const RUNS = 5;
const PAGE = 1_000;

/** The second page of an expensive report, read from the cached result, against the first page, which computes and caches it. */
export async function benchPages(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  const benchTable = await loadTypicalFacts(engine, ROWS_PER_DAY, daysFrom(0, DAYS));
  const [firstMs, secondMs]: [number[], number[]] = [[], []];
  let units = { first: 0, second: 0 };
  for (let run = 0; run < RUNS; run++) {
    const meters = { first: newMeter(), second: newMeter() };
    firstMs.push(await timed(() => runPage(benchTable, run, 0, meters.first)));
    secondMs.push(
      await timed(async () => {
        const { scannedRows } = await runPage(benchTable, run, PAGE, meters.second);
        if (scannedRows > 0) throw new Error('the second page was not read from the cache');
      }),
    );
    units = { first: meters.first.readUnits, second: meters.second.readUnits };
  }
  return [
    {
      what: `page 2 (${formatNumber(PAGE)} rows) of a cached report by placement and keyword over ${formatMillions(DAYS * ROWS_PER_DAY)} rows`,
      endcap: `${median(secondMs).toFixed(0)} ms, ${units.second} units`,
      peer: `page 1: ${median(firstMs).toFixed(0)} ms, ${units.first} units`,
      ratio: median(secondMs) / median(firstMs),
      target: '≤ 1/10',
      note: 'page 1 includes writing all rows to the cache; both use the embedded table',
    },
  ];
}

const newMeter = () => ({ readUnits: 0, writeUnits: 0, calls: 0 });

/** @param run makes the cache keys of the runs differ, so that each run computes its first page */
async function runPage(
  benchTable: BenchTable,
  run: number,
  offset: number,
  meter: ReturnType<typeof newMeter>,
): ReturnType<typeof runCachedReport> {
  const table = benchTable.table.metered(meter);
  const query: ReportQuery = {
    ...TYPICAL_REPORT,
    endDate: dateOf(DAYS - 1),
    dimensions: ['placement', 'keyword'],
    pagination: { offset, size: PAGE },
  };
  const state = await readCommit(table);
  return runCachedReport({
    query,
    scope: SCOPE,
    settings: SETTINGS,
    source: openSegmentSource(table, state),
    results: openResult<ReportEnvelope, readonly ReportValue[]>(table, { run }),
    onCacheError: (error) => {
      throw error;
    },
  });
}
