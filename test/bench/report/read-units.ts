import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { packPk } from '../../../shared/store/table/item-keys.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { type BenchEngine, type BenchTable, startBenchEngine } from '../tools/engine.ts';
import { formatNumber } from '../tools/format.ts';
import { generateDelivery } from '../tools/generate-facts.ts';
import { checkQueryUnits, itemBytes, queryUnits, rowItems } from './item-per-row.ts';
import {
  DAYS,
  loadTypicalFacts,
  SCOPE,
  TYPICAL_DIMENSIONS,
  TYPICAL_REPORT,
  typicalConversions,
} from './typical-report.ts';

const ITEMS_TO_CHECK = 2_000;

/** Read units of a typical report from the table's ConsumedCapacity, against a table with one item per fact row. */
export async function benchReadUnits(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  return [...(await compareAt(engine, 33_000, '≤ 1/150')), ...(await compareAt(engine, 2_000, '≤ 1/50'))];
}

async function compareAt(engine: BenchEngine, rowsPerDay: number, target: string): Promise<BenchRow[]> {
  const peer = sumRowTableCost(rowsPerDay);
  await checkQueryUnits(await engine.createTable(), firstItems(rowsPerDay));
  const benchTable = await loadTypicalFacts(engine, rowsPerDay);
  const rows: BenchRow[] = [];
  for (const { from, dimensions } of TYPICAL_DIMENSIONS) {
    const { units, calls, groups } = await runMetered(benchTable, { ...TYPICAL_REPORT, dimensions });
    const others = dimensions.filter((name) => name !== 'daily_date').join(', ');
    rows.push({
      what: `${formatNumber(rowsPerDay)} rows per day, by day, ${others}`,
      endcap: `${formatNumber(units)} units`,
      peer: `one item per row: ${formatNumber(peer.units)} units`,
      ratio: units / peer.units,
      target,
      note: `read from ${from}: ${formatNumber(groups)} groups, ${calls} calls; ${TYPICAL_REPORT.metrics.join(', ')}`,
    });
  }
  rows.push(await compareStorage(benchTable, rowsPerDay));
  const [first, ...others] = rows;
  if (first === undefined) return [];
  return [{ ...first, note: `${first.note}. Peer: ${describePeer(peer)}` }, ...others];
}

/** Stored bytes of facts with the rollups of their months, without users, against the facts alone. */
async function compareStorage({ table }: BenchTable, rowsPerDay: number): Promise<BenchRow> {
  const source = openSegmentSource(table, await readCommit(table));
  const [advertiserId] = SCOPE.advertiserIds;
  const head = (await source.factHeads(SCOPE.advertiserIds)).get(advertiserId ?? 0);
  if (head === undefined) throw new Error('there are no facts');
  const entries = head.rollups?.get('pla')?.values() ?? [];
  let rollupBytes = 0;
  for (const { bytes, columns } of entries) {
    rollupBytes += bytes;
    for (const [name, size] of columns) if (!name.includes('/users')) rollupBytes += size;
  }
  let factBytes = 0;
  for (const [factTable, months] of head.months.get('pla') ?? []) {
    const refs = months.map((month) => ({
      advertiserId: head.advertiserId,
      experience: 'pla' as const,
      table: factTable,
      month,
    }));
    for (const { ref, runs } of await source.manifests(refs)) {
      for (const { columns } of runs) {
        for (const [name, { chunks, bytes }] of columns)
          if (chunks > 0 && !name.startsWith('users')) factBytes += bytes;
      }
      for (const item of await table.query({ pk: packPk(ref, 'facts'), consistent: false })) {
        if (item.bytes instanceof Uint8Array) factBytes += item.bytes.length;
      }
    }
  }
  return {
    what: `${formatNumber(rowsPerDay)} rows per day, stored bytes of facts and rollups`,
    endcap: `${formatNumber(factBytes + rollupBytes)} B`,
    peer: `facts alone: ${formatNumber(factBytes)} B`,
    ratio: (factBytes + rollupBytes) / factBytes,
    target: '≤ 1.25',
  };
}

function describePeer({ items, bytes }: RowTableCost): string {
  return (
    `${formatNumber(items)} items, those of conversions included, of ${formatNumber(bytes / items)} bytes: names of one or two letters, nothing stored for null and 0, ` +
    `the shortest keys; ${formatNumber(bytes)} bytes / 4,096 × 0.5. Reading ${formatNumber(ITEMS_TO_CHECK)} such items from the embedded table consumes what this formula gives`
  );
}

async function runMetered({ table }: BenchTable, query: ReportQuery) {
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const metered = table.metered(meter);
  const source = openSegmentSource(metered, await readCommit(metered));
  const { totalCount } = await runReport({ query, scope: SCOPE, settings: SETTINGS, source });
  return { units: meter.readUnits, calls: meter.calls, groups: totalCount };
}

interface RowTableCost {
  readonly items: number;
  readonly bytes: number;
  readonly units: number;
}

/** @returns what the report reads from a table with one item per row: all items of the days in both fact tables, by Query */
function sumRowTableCost(rowsPerDay: number): RowTableCost {
  let [items, units, bytes] = [0, 0, 0];
  for (const [table, generate] of [
    ['d', generateDelivery],
    ['c', typicalConversions],
  ] as const) {
    let tableBytes = 0;
    for (let n = 0; n < DAYS; n++) {
      for (const item of rowItems(table, n, generate(n, rowsPerDay))) {
        tableBytes += itemBytes(item);
        items += 1;
      }
    }
    units += queryUnits(tableBytes);
    bytes += tableBytes;
  }
  return { items, bytes, units };
}

function firstItems(rowsPerDay: number) {
  return [...rowItems('d', 0, generateDelivery(0, rowsPerDay))].slice(0, ITEMS_TO_CHECK);
}
