import { type CachedReport, runCachedReport } from '../../shared/report/cached-report.ts';
import type { ReportEnvelope, ReportQuery, ReportValue } from '../../shared/report/query.ts';
import { openResult } from '../../shared/store/cache/results.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { ADVERTISER_ID, dateOf } from './bench-folder.ts';
import { type BenchRow, median, timed } from './bench-row.ts';
import { type ApartTable, startEngineApart } from './engine-apart.ts';
import { loadTypicalFacts, TYPICAL_REPORT } from './read-units.ts';

const ROWS_A_DAY = 33_000;
const DAYS = 120;
const RUNS = 5;
const PAGE = 1_000;

/** The first page of a report that is worth keeping, against its next pages, which are read from what the first has kept. */
export async function benchPages(): Promise<BenchRow[]> {
  using engine = startEngineApart();
  const made = await loadTypicalFacts(engine, ROWS_A_DAY, DAYS);
  const [first, next]: [number[], number[]] = [[], []];
  let units = { first: 0, next: 0 };
  for (let run = 0; run < RUNS; run++) {
    const meters = { first: newMeter(), next: newMeter() };
    first.push(await timed(() => ask(made, run, 0, meters.first)));
    next.push(
      await timed(async () => {
        const { scannedRows } = await ask(made, run, PAGE, meters.next);
        if (scannedRows > 0) throw new Error('the second page was worked out anew');
      }),
    );
    units = { first: meters.first.readUnits, next: meters.next.readUnits };
  }
  return [
    {
      what: `page 2 of ${PAGE.toLocaleString('en-US')} rows of a kept report by placement and keyword, ${((DAYS * ROWS_A_DAY) / 1e6).toFixed(1)} M rows`,
      ours: `${median(next).toFixed(0)} ms, ${units.next} units`,
      peer: `page 1: ${median(first).toFixed(0)} ms, ${units.first} units`,
      ratio: median(next) / median(first),
      reach: '≤ 1/10',
      note: 'page 1 has the writing of all rows in it; both through the embedded engine',
    },
  ];
}

const newMeter = () => ({ readUnits: 0, writeUnits: 0, calls: 0 });

/** @param run tells the reports apart, so that none finds the rows of another kept */
async function ask(
  made: ApartTable,
  run: number,
  offset: number,
  meter: ReturnType<typeof newMeter>,
): Promise<CachedReport> {
  const table = made.table.metered(meter);
  const query: ReportQuery = {
    ...TYPICAL_REPORT,
    endDate: dateOf(DAYS - 1),
    dimensions: ['placement', 'keyword'],
    pagination: { offset, size: PAGE },
  };
  const state = await readCommit(table);
  return runCachedReport({
    query,
    scope: { accountIds: new Set([1]), advertiserIds: [ADVERTISER_ID] },
    settings: SETTINGS,
    source: openSegmentSource(table, state),
    results: openResult<ReportEnvelope, readonly ReportValue[]>(table, { run }),
    readUnits: () => meter.readUnits,
    onCacheError: (error) => {
      throw error;
    },
  });
}
