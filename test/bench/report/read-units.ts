import { TABLE_MEASURES } from '../../../shared/catalog/tables.ts';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { packPk } from '../../../shared/store/table/item-keys.ts';
import type { PlainFacts } from '../../support/encode-fact-rows.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import type { BenchRow } from '../bench-row.ts';
import { dateOf } from '../tools/bench-folder.ts';
import { type BenchEngine, type BenchTable, startBenchEngine } from '../tools/engine.ts';
import { formatNumber } from '../tools/format.ts';
import { generateDelivery } from '../tools/generate-facts.ts';
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

/**
 * A fact row in the design with one item per row, partitioned by advertiser and sorted by day. Attribute names have one or two letters, null and 0 are
 * left out, and keys are short, so that the comparison favors this design.
 */
export type RowItem = Readonly<Record<string, string | number>> & { readonly pk: string; readonly sk: string };

const KEY_NAMES = {
  hour: 'h',
  ad_group_id: 'a',
  placement_id: 'p',
  division_banner: 'b',
  keyword: 'k',
  entity_id: 'e',
  creative_key: 'c',
  conversion_source: 's',
  purchased_entity_id: 'q',
} as const;
const MEASURE_NAMES = new Map<string, string>(
  [...Object.keys(TABLE_MEASURES.delivery), ...Object.keys(TABLE_MEASURES.conversions)].map((name, i) => [
    name,
    `m${String.fromCharCode(97 + i)}`,
  ]),
);

/**
 * @param table ends the partition key: the facts of an advertiser, experience and table are one partition
 * @param n the number of the day, as `dateOf` takes it
 * @returns the items of the day
 */
export function* rowItems(table: 'd' | 'c', n: number, facts: PlainFacts): Generator<RowItem> {
  const keys = Object.entries(KEY_NAMES).map(([name, short]) => {
    return { short, values: facts.keys.get(name as keyof typeof KEY_NAMES) }; // the keys of the literal above
  });
  const measures = [...facts.measures].map(([name, values]) => ({ short: MEASURE_NAMES.get(name) ?? name, values }));
  for (let row = 0; row < facts.rows; row++) {
    const item: Record<string, string | number> = {};
    for (const { short, values } of [...keys, ...measures]) {
      const value = values?.[row] ?? 0;
      if (value !== 0) item[short] = value;
    }
    yield { pk: `1#pla#${table}`, sk: `${dateOf(n)}#${row.toString(36)}`, ...item };
  }
}

/**
 * @returns the item's size by DynamoDB's rule: the UTF-8 bytes of all names and texts; a number takes one byte per two significant digits, paired from
 * the decimal point, and one more byte
 */
export function itemBytes(item: RowItem): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    bytes += name.length + (typeof value === 'string' ? Buffer.byteLength(value) : numberBytes(value));
  }
  return bytes;
}

/** @param value an integer above 0 */
function numberBytes(value: number): number {
  let pairs = value;
  while (pairs % 100 === 0) pairs /= 100;
  return Math.ceil(String(pairs).length / 2) + 1;
}

/** @returns the read units of an eventually consistent Query of that many bytes: half a unit per 4 KB, rounded up */
export function queryUnits(bytes: number): number {
  return Math.ceil(bytes / 4096) / 2;
}

/**
 * Writes the items and reads them with one Query.
 * @throws Error unless the table reports exactly the units that `queryUnits` gives
 */
export async function checkQueryUnits({ table }: BenchTable, items: readonly RowItem[]): Promise<void> {
  const [first] = items;
  if (first === undefined) throw new Error('there are no items to check');
  await table.putMany(items);
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const found = await table.metered(meter).query({ pk: first.pk, consistent: false });
  const expected = queryUnits(items.reduce((sum, item) => sum + itemBytes(item), 0));
  if (found.length === items.length && meter.readUnits === expected && meter.calls === 1) return;
  const actual = `${found.length} of ${items.length} items for ${meter.readUnits} units in ${meter.calls} calls`;
  throw new Error(`the formula gives ${expected} units, but the table returned ${actual}`);
}
