import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { loadFolder } from '../../shared/load/load-folder.ts';
import { randomFrom } from '../oracle/random/random.ts';
import { type LoadRow, writeLoadFile } from '../real/write-folder.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { userIdKey } from '../support/user-id-key.ts';
import type { BenchRow } from './bench-row.ts';
import { makeBenchFolder } from './tools/bench-folder.ts';
import { startBenchEngine } from './tools/engine.ts';
import { formatNumber, formatSeconds } from './tools/format.ts';
import { measure } from './tools/timing.ts';

const ADVERTISERS = 500;
const DAYS = 365;
/** Each advertiser has one row a day for each of its ad groups. */
const AD_GROUPS = 4;
const FIRST = dayNumber('2025-03-01');
const LIMIT_MS = 60_000;

/** Loading a year of many small advertisers into the embedded table, which has its own process: its processor time is not counted. */
export async function benchTinyDays(): Promise<BenchRow[]> {
  using engine = startBenchEngine();
  using folder = makeBenchFolder();
  writeTinyDays(folder.path);
  const { table } = await engine.createTable();
  const meter = { readUnits: 0, writeUnits: 0, calls: 0 };
  const { wallMs, cpuMs } = await measure(async () => {
    const load = { userIdKey, folder: folder.path, table: table.metered(meter), timeZone: SETTINGS.timezone };
    const report = await loadFolder(load);
    if (report.outcome !== 'loaded') throw new Error(`the rows were not loaded: ${JSON.stringify(report.problems)}`);
  });
  return [
    {
      what: `load of ${ADVERTISERS} advertisers × ${DAYS} days × ${AD_GROUPS} rows, CSV`,
      endcap: formatSeconds(wallMs, 1),
      peer: `limit: ${formatSeconds(LIMIT_MS, 1)}`,
      ratio: wallMs / LIMIT_MS,
      target: '≤ 1',
      note: `processor time without the table's: ${formatSeconds(cpuMs, 1)}; ${formatNumber(meter.calls)} calls, ${formatNumber(meter.writeUnits)} write units`,
    },
  ];
}

/** Writes a folder with listings and one file of delivery, seeded. */
function writeTinyDays(folder: string): void {
  const random = randomFrom(14).next;
  const ids = Array.from({ length: ADVERTISERS }, (_, i) => 1 + i);
  const adGroups = ids.flatMap((campaignId) =>
    Array.from({ length: AD_GROUPS }, (_, i) => ({ id: campaignId * 10 + i, campaignId })),
  );
  const running = { status: 'ACTIVE', startDate: '2025-01-01' };
  const dates = Array.from({ length: DAYS }, (_, i) => formatDay(FIRST + i));
  const files: Record<string, LoadRow[]> = {
    'advertisers.ndjson': ids.map((id) => ({ id, name: `Advertiser ${id}`, accountId: 1 })),
    'campaigns.ndjson': ids.map((id) => ({ id, name: `Campaign ${id}`, advertiserId: id, ...running })),
    'ad_groups.ndjson': adGroups.map(({ id, campaignId }) => ({ id, name: `Ad group ${id}`, campaignId, ...running })),
    'creatives.ndjson': [],
    'facts/pla/delivery.csv': dates.flatMap((date) =>
      adGroups.map(({ id }) => {
        const impressions = 1 + Math.floor(1_000 * random() ** 3);
        const clicks = Math.floor(impressions * 0.02 * random());
        return { daily_date: date, hour: 12, ad_group_id: id, impressions, clicks, cost: clicks / 2 };
      }),
    ),
  };
  for (const [name, rows] of Object.entries(files)) writeLoadFile(folder, name, rows);
}
