import type { FactHead } from '../../shared/catalog/partitions.ts';
import type { SegmentSource } from '../../shared/catalog/segment-source.ts';
import { encodeDay } from '../../shared/columns/build-day.ts';
import { rollUpDay } from '../../shared/columns/rollup.ts';
import { MonthRollup } from '../../shared/load/write/roll-up-month.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { beginCommit, readCommit } from '../../shared/store/commit/commits.ts';
import { finishPartitions, writeFactDay } from '../../shared/store/facts/facts.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import { type BenchRow, median, timed } from './bench-row.ts';
import { startEngineApart } from './engine-apart.ts';
import { generateDelivery } from './generate-facts.ts';

const RUNS = 7;
const DAYS = 30;
const ROWS_A_DAY = 33_333;
const QUERY: ReportQuery = {
  experience: 'pla',
  startDate: '2026-01-01',
  endDate: '2026-01-30',
  metrics: ['impressions', 'clicks', 'cost', 'opportunities', 'click_through_rate', 'cost_per_click'],
  dimensions: ['ad_group_id', 'daily_date'],
  filters: [],
  sort: [{ field: 'cost', order: 'DESC' }],
  pagination: { offset: 0, size: 100 },
};

/** A typical report by ad group and day, from the table, answered by a rollup and by the facts themselves. */
export async function benchRollups(): Promise<BenchRow[]> {
  using engine = startEngineApart();
  const { table } = await engine.createTable();
  const ref = { advertiserId: 1, experience: 'pla', month: '2026-01' } as const;
  const writer = await beginCommit(table, { owner: 'bench' });
  const rollup = new MonthRollup(ref);
  for (let day = 1; day <= DAYS; day++) {
    const facts = generateDelivery(day, ROWS_A_DAY);
    await writeFactDay(writer, { ...ref, table: 'delivery' }, day, encodeDay('delivery', facts));
    rollup.addDay('delivery', day, rollUpDay('delivery', day, facts));
  }
  await rollup.write(writer);
  await finishPartitions(writer, [1]);
  await writer.finish();
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const source = openSegmentSource(table.metered(meter), await readCommit(table));
  const base = withoutRollups(source);
  const ask = (from: SegmentSource) =>
    runReport({
      query: QUERY,
      scope: { accountIds: new Set(), advertiserIds: [1] },
      settings: { timezone: 'UTC', currency: 'USD', attribution: { windowDays: 14, basis: 'conversion day' } },
      source: from,
    });
  const unitsOf = async (from: SegmentSource) => {
    const before = meter.readUnits;
    await ask(from);
    return meter.readUnits - before;
  };
  const [rolledUnits, baseUnits] = [await unitsOf(source), await unitsOf(base)];
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    mine.push(await timed(() => ask(source)));
    theirs.push(await timed(() => ask(base)));
  }
  return [
    {
      what: 'report by ad group and day: rollup against facts (1 M rows)',
      ours: `${median(mine).toFixed(1)} ms, ${rolledUnits} units`,
      peer: `${median(theirs).toFixed(1)} ms, ${baseUnits} units`,
      ratio: median(mine) / median(theirs),
      reach: '≤ 0.1',
    },
  ];
}

/** The same table, read as if no month were rolled up. */
function withoutRollups(source: SegmentSource): SegmentSource {
  const strip = ({ rollups: _, ...head }: FactHead): FactHead => head;
  return {
    ...source,
    factHeads: async (ids) => new Map([...(await source.factHeads(ids))].map(([id, head]) => [id, strip(head)])),
  };
}
