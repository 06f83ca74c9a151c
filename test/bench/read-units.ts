import type { FactRows } from '../../shared/columns/build-day.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import type { ReportQuery } from '../../shared/report/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { ADVERTISER_ID, dateOf, makeBenchFolder, writeFactsCsv } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';
import { type ApartEngine, type ApartTable, startEngineApart } from './engine-apart.ts';
import { generateConversions, generateDelivery } from './generate-facts.ts';
import { checkRule, itemBytes, queryUnits, rowItems } from './item-per-row.ts';

const DAYS = 30;
const CONVERSIONS_PER_DELIVERY = 0.08;
const ITEMS_TO_CHECK = 2_000;

/** Three dimensions and six metrics of two fact tables. */
export const TYPICAL_REPORT = {
  experience: 'pla',
  startDate: dateOf(0),
  endDate: dateOf(DAYS - 1),
  filters: [],
  sort: [{ field: 'cost', order: 'DESC' }],
  pagination: { offset: 0, size: 100 },
  metrics: ['impressions', 'clicks', 'cost', 'halo_transactions', 'halo_revenue', 'halo_roas'],
} as const satisfies Partial<ReportQuery>;

/** By what the report groups, cheapest first. No rollup of an advertiser has placement, banner or keyword. */
export const TYPICAL_DIMENSIONS = [
  { from: 'a rollup', dimensions: ['daily_date', 'campaign_name', 'ad_group_id'] },
  { from: 'facts', dimensions: ['daily_date', 'placement', 'division_banner'] },
  { from: 'facts', dimensions: ['daily_date', 'placement', 'keyword'] },
] as const satisfies readonly { from: string; dimensions: ReportQuery['dimensions'] }[];

/** Read units of a typical report, as the table's ConsumedCapacity says, against a table with an item for each fact row. */
export async function benchReadUnits(): Promise<BenchRow[]> {
  using engine = startEngineApart();
  return [...(await compareAt(engine, 33_000, '≤ 1/100')), ...(await compareAt(engine, 2_000, '≤ 1/50'))];
}

async function compareAt(engine: ApartEngine, rowsADay: number, reach: string): Promise<BenchRow[]> {
  const peer = unitsOfItemPerRow(rowsADay);
  await checkRule(await engine.createTable(), firstItems(rowsADay));
  const made = await loadTypicalFacts(engine, rowsADay);
  const rows: BenchRow[] = [];
  for (const { from, dimensions } of TYPICAL_DIMENSIONS) {
    const { units, calls, groups } = await unitsOf(made, { ...TYPICAL_REPORT, dimensions });
    const rest = dimensions.filter((it) => it !== 'daily_date').join(', ');
    rows.push({
      what: `read units, ${DAYS} days of ${show(rowsADay)} rows, by day, ${rest}`,
      ours: `${show(units)} units`,
      peer: `an item a row: ${show(peer.units)} units`,
      ratio: units / peer.units,
      reach,
      note: `answered from ${from}: ${show(groups)} groups, ${calls} calls; ${TYPICAL_REPORT.metrics.join(', ')}`,
    });
  }
  const [first, ...others] = rows;
  if (first === undefined) return [];
  return [{ ...first, note: `${first.note}. Peer: ${explain(peer)}` }, ...others];
}

function explain({ items, bytes }: ItemPerRow): string {
  return (
    `${show(items)} items, conversions included, of ${show(bytes / items)} bytes: names of one or two letters, nothing stored for null and 0, ` +
    `the shortest keys; ${show(bytes)} bytes / 4,096 × 0.5. The engine reads ${show(ITEMS_TO_CHECK)} such items for what the rule says`
  );
}

/** Loads the report's facts as any other: through files and the loader. */
export async function loadTypicalFacts(engine: ApartEngine, rowsADay: number, days = DAYS): Promise<ApartTable> {
  using folder = makeBenchFolder();
  writeFactsCsv(folder, 'delivery', days, (n) => generateDelivery(n, rowsADay));
  writeFactsCsv(folder, 'conversions', days, (n) => conversionsOf(n, rowsADay));
  const made = await engine.createTable();
  const report = await loadFolder({ folder: folder.path, table: made.table, timeZone: SETTINGS.timezone });
  if (report.outcome !== 'loaded') throw new Error(`the facts were not loaded: ${JSON.stringify(report.problems)}`);
  return made;
}

async function unitsOf({ table }: ApartTable, query: ReportQuery) {
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const metered = table.metered(meter);
  const source = openSegmentSource(metered, await readCommit(metered));
  const scope = { accountIds: new Set([1]), advertiserIds: [ADVERTISER_ID] };
  const { totalCount } = await runReport({ query, scope, settings: SETTINGS, source });
  return { units: meter.readUnits, calls: meter.calls, groups: totalCount };
}

interface ItemPerRow {
  readonly items: number;
  readonly bytes: number;
  readonly units: number;
}

/** What the report would read of a table with an item for each row: all items of the days, of either fact table, by Query. */
function unitsOfItemPerRow(rowsADay: number): ItemPerRow {
  let [items, units, bytes] = [0, 0, 0];
  for (const [table, generate] of [
    ['d', generateDelivery],
    ['c', conversionsOf],
  ] as const) {
    let ofTable = 0;
    for (let n = 0; n < DAYS; n++) {
      for (const item of rowItems(table, n, generate(n, rowsADay))) {
        ofTable += itemBytes(item);
        items += 1;
      }
    }
    units += queryUnits(ofTable);
    bytes += ofTable;
  }
  return { items, bytes, units };
}

function firstItems(rowsADay: number) {
  return [...rowItems('d', 0, generateDelivery(0, rowsADay))].slice(0, ITEMS_TO_CHECK);
}

/** Conversions of one day; placement, keyword and the like are those of the day's delivery. */
function conversionsOf(n: number, deliveryRows: number): FactRows {
  const rows = Math.round(deliveryRows * CONVERSIONS_PER_DELIVERY);
  const conversions = generateConversions(n, rows);
  return { ...conversions, keys: new Map([...generateDelivery(n, rows).keys, ...conversions.keys]) };
}

function show(figure: number): string {
  return figure.toLocaleString('en-US', { maximumFractionDigits: 1 });
}
