import { loadFolder } from '../../../shared/load/load-folder.ts';
import type { ReportQuery, ReportScope } from '../../../shared/report/query/query.ts';
import type { PlainFacts } from '../../support/encode-fact-rows.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import {
  ADVERTISER_ID,
  type BenchFolder,
  dateOf,
  daysFrom,
  makeBenchFolder,
  writeFactsCsv,
} from '../tools/bench-folder.ts';
import type { BenchEngine, BenchTable } from '../tools/engine.ts';
import { generateConversions, generateDelivery } from '../tools/generate-facts.ts';

export const DAYS = 30;
const CONVERSIONS_PER_DELIVERY_ROW = 0.08;

/** A report with three dimensions and six metrics of two fact tables. */
export const TYPICAL_REPORT = {
  experience: 'pla',
  startDate: dateOf(0),
  endDate: dateOf(DAYS - 1),
  filters: [],
  sort: [{ field: 'cost', order: 'DESC' }],
  pagination: { offset: 0, size: 100 },
  metrics: ['impressions', 'clicks', 'cost', 'halo_transactions', 'halo_revenue', 'halo_roas'],
} as const satisfies Partial<ReportQuery>;

/** The dimensions of the typical report, cheapest first. The last two have two keys besides the day, neither of them the ad group, so no rollup has both. */
export const TYPICAL_DIMENSIONS = [
  { from: 'a rollup', dimensions: ['daily_date', 'campaign_name', 'ad_group_id'] },
  { from: 'facts', dimensions: ['daily_date', 'placement', 'division_banner'] },
  { from: 'facts', dimensions: ['daily_date', 'placement', 'keyword'] },
] as const satisfies readonly { from: string; dimensions: ReportQuery['dimensions'] }[];

export const SCOPE: ReportScope = {
  accountIds: new Set([1]),
  advertiserIds: [ADVERTISER_ID],
  ownAdvertiserIds: [ADVERTISER_ID],
};

/** @returns a folder with the facts of the typical report as CSV @param days the numbers of the days, as `dateOf` takes them */
export function makeTypicalFolder(rowsPerDay: number, days = daysFrom(0, DAYS)): BenchFolder {
  const folder = makeBenchFolder();
  writeFactsCsv(folder, 'delivery', days, (n) => generateDelivery(n, rowsPerDay));
  writeFactsCsv(folder, 'conversions', days, (n) => typicalConversions(n, rowsPerDay));
  return folder;
}

/** Loads the facts of the typical report with the loader, into a new table. */
export async function loadTypicalFacts(
  engine: BenchEngine,
  rowsPerDay: number,
  days = daysFrom(0, DAYS),
): Promise<BenchTable> {
  using folder = makeTypicalFolder(rowsPerDay, days);
  return await loadBenchFolder(engine, folder);
}

/** Loads the folder with the loader, into a new table. */
export async function loadBenchFolder(engine: BenchEngine, folder: BenchFolder): Promise<BenchTable> {
  const created = await engine.createTable();
  const report = await loadFolder({
    userIdKey,
    folder: folder.path,
    table: created.table,
    timeZone: SETTINGS.timezone,
  });
  if (report.outcome !== 'loaded') throw new Error(`the facts were not loaded: ${JSON.stringify(report.problems)}`);
  return created;
}

/** @returns the conversions of day n, with the banners, keywords and creatives of the day's first rows of delivery */
export function typicalConversions(n: number, deliveryRows: number): PlainFacts {
  const rows = Math.round(deliveryRows * CONVERSIONS_PER_DELIVERY_ROW);
  const conversions = generateConversions(n, rows);
  return { ...conversions, keys: new Map([...generateDelivery(n, rows).keys, ...conversions.keys]) };
}
