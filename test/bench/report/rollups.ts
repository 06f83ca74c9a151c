import type { FactHead } from '../../../shared/layout/partitions.ts';
import type { SegmentSource } from '../../../shared/layout/segment-reads.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { dateOf, daysFrom } from '../tools/bench-folder.ts';
import { startBenchEngine } from '../tools/engine.ts';
import { formatMillions } from '../tools/format.ts';
import { median, timed } from '../tools/timing.ts';
import { loadTypicalFacts, SCOPE } from './typical-report.ts';

const RUNS = 7;
const ROWS_PER_DAY = 33_333;
/** April, so that all days are in one month, which has one rollup. */
const DAYS = daysFrom(16, 30);
const QUERY: ReportQuery = {
  experience: 'pla',
  startDate: dateOf(DAYS[0] ?? 0),
  endDate: dateOf(DAYS.at(-1) ?? 0),
  metrics: ['impressions', 'clicks', 'cost', 'opportunities', 'click_through_rate', 'cost_per_click'],
  dimensions: ['ad_group_id', 'daily_date'],
  filters: [],
  sort: [{ field: 'cost', order: 'DESC' }],
  pagination: { offset: 0, size: 100 },
};

/** A report by ad group and day that is read from a rollup, against the same report read from the facts. */
export async function benchRollups(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  const { table } = await loadTypicalFacts(engine, ROWS_PER_DAY, DAYS);
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const fromRollup = openSegmentSource(table.metered(meter), await readCommit(table));
  const fromFacts = withoutRollups(fromRollup);
  const run = (source: SegmentSource) => runReport({ query: QUERY, scope: SCOPE, settings: SETTINGS, source });
  const unitsOf = async (source: SegmentSource) => {
    const before = meter.readUnits;
    await run(source);
    return meter.readUnits - before;
  };
  const [rollupUnits, factUnits] = [await unitsOf(fromRollup), await unitsOf(fromFacts)];
  const [rollupMs, factMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < RUNS; round++) {
    rollupMs.push(await timed(() => run(fromRollup)));
    factMs.push(await timed(() => run(fromFacts)));
  }
  return [
    {
      what: `report by ad group and day over ${formatMillions(DAYS.length * ROWS_PER_DAY)} rows, read from a rollup`,
      endcap: `${median(rollupMs).toFixed(1)} ms, ${rollupUnits} units`,
      peer: `read from the facts: ${median(factMs).toFixed(1)} ms, ${factUnits} units`,
      ratio: median(rollupMs) / median(factMs),
      target: '≤ 1/10',
    },
  ];
}

/** @returns the source without its rollups, the rollup included, so that reports read the facts */
function withoutRollups(source: SegmentSource): SegmentSource {
  const strip = ({ rollups: _, ...head }: FactHead): FactHead => head;
  return {
    ...source,
    factHeads: async (ids) => new Map([...(await source.factHeads(ids))].map(([id, head]) => [id, strip(head)])),
  };
}
