/** Runs one report several times over the days of a folder, and sends the median time, the number of groups and the process's peak memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackColumns } from '../../../shared/columns/pack.ts';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { peakMemory } from '../../support/memory.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { median, timed } from '../tools/timing.ts';
import { type BenchDay, daySource, EXPERIENCE } from './day-source.ts';
import type { GrowthReport } from './growth.ts';

const RUNS = 5;
const { BENCH_FOLDER = '', BENCH_REPORT = '', BENCH_DAYS } = process.env;
const dayCount = Number(BENCH_DAYS);
const report: GrowthReport = JSON.parse(BENCH_REPORT);
const rowCounts: readonly number[] = JSON.parse(readFileSync(join(BENCH_FOLDER, 'rows.json'), 'utf8'));

const dateOf = (day: number) => formatDay(dayNumber('2025-01-01') + day);
const days = rowCounts.slice(0, dayCount).map((rows, day): BenchDay => {
  const date = dateOf(day);
  return { date, rows, readColumns: () => unpackColumns(readFileSync(join(BENCH_FOLDER, String(day))), date) };
});
const source = daySource('delivery', days);

const times: number[] = [];
let groups = 0;
for (let run = 0; run < RUNS; run++) {
  times.push(
    await timed(async () => {
      const { totalCount } = await runReport({
        query: {
          experience: EXPERIENCE,
          startDate: dateOf(0),
          endDate: dateOf(dayCount - 1),
          metrics: ['impressions', 'clicks', 'cost', 'opportunities', 'video_starts', 'click_through_rate'],
          filters: [],
          pagination: { offset: 0, size: 100 },
          ...report,
        },
        scope: { accountIds: new Set([1]), advertiserIds: [1], ownAdvertiserIds: [1] },
        settings: SETTINGS,
        source,
      });
      groups = totalCount;
    }),
  );
}
process.send?.({ ms: median(times), groups, peakMB: peakMemory() / 1024 });
