/** Runs one report over the days of a folder in a process of its own, some times, and answers the median time and the process's peak of memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DayEntry } from '../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../shared/catalog/segment-source.ts';
import { unpackColumns } from '../../shared/columns/pack.ts';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { median, timed } from './bench-row.ts';
import { GROWTH_REPORTS } from './growth-reports.ts';

const RUNS = 5;
const FIRST = dayNumber('2025-01-01');
const { BENCH_FOLDER = '', BENCH_SHAPE, BENCH_DAYS } = process.env;
const days = Number(BENCH_DAYS);
const rows: readonly number[] = JSON.parse(readFileSync(join(BENCH_FOLDER, 'rows.json'), 'utf8'));
const report = GROWTH_REPORTS[Number(BENCH_SHAPE)] ?? GROWTH_REPORTS[0];

const dateOf = (day: number) => formatDay(FIRST + day);
const months = Map.groupBy(Array(days).keys(), (day) => dateOf(day).slice(0, 7));

const source: SegmentSource = {
  factHeads: async () =>
    new Map([
      [
        1,
        {
          advertiserId: 1,
          months: new Map([['pla' as const, new Map([['delivery' as const, [...months.keys()]]])]]),
          latestDelivery: new Map(),
        },
      ],
    ]),
  manifests: async (refs) => refs.map((ref) => ({ ref, days: (months.get(ref.month) ?? []).map(entryOf) })),
  async *days(ref, entries) {
    for (const day of months.get(ref.month) ?? []) {
      const entry = entries.find((it) => it.day === entryOf(day).day);
      if (entry === undefined) continue;
      yield { entry, columns: unpackColumns(readFileSync(join(BENCH_FOLDER, String(day))), dateOf(day)) };
    }
  },
  async *rollups() {},
  dimensionTables: async () => new Map(),
};

function entryOf(day: number): DayEntry {
  return { day: Number(dateOf(day).slice(8)), version: 1, rows: rows[day] ?? 0, packed: false, columns: new Map() };
}

const times: number[] = [];
let groups = 0;
for (let run = 0; run < RUNS; run++) {
  times.push(
    await timed(async () => {
      const { totalCount } = await runReport({
        query: {
          experience: 'pla',
          startDate: dateOf(0),
          endDate: dateOf(days - 1),
          metrics: ['impressions', 'clicks', 'cost', 'opportunities', 'video_starts', 'click_through_rate'],
          filters: [],
          pagination: { offset: 0, size: 100 },
          ...report,
        },
        scope: { accountIds: new Set([1]), advertiserIds: [1] },
        settings: SETTINGS,
        source,
      });
      groups = totalCount;
    }),
  );
}
process.send?.([{ ms: median(times), groups, peakMB: process.resourceUsage().maxRSS / 1024 }]);
