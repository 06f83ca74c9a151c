import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';
import { type RealStage, startRealStage } from '../real/real-stage.ts';
import { writeLoadFile } from '../real/write-folder.ts';
import { type BenchRow, median, timed } from './bench-row.ts';
import { seededRandom } from './generate-facts.ts';

const ADVERTISERS = 500;
const DAYS = 365;
const AD_GROUPS = 4;
const FIRST = dayNumber('2025-03-01');
const RUNS = 7;

const SHARED_ACCOUNT = 1;
/** Advertiser i belongs to the shared account and to one of its own. */
const OWN_ACCOUNTS = 1_000;

/** The callers: an agency with one account of all advertisers, and one with as many accounts as advertisers. */
const CALLERS = [
  { userId: 'one-account', accountIds: [SHARED_ACCOUNT], what: `1 account of ${ADVERTISERS} advertisers` },
  {
    userId: 'many-accounts',
    accountIds: range(ADVERTISERS).map((i) => OWN_ACCOUNTS + i),
    what: `${ADVERTISERS} accounts of 1 advertiser`,
  },
] as const;

const GRAINS = [
  { dimension: 'month_date', rows: ADVERTISERS * 12 },
  { dimension: 'week_date', rows: ADVERTISERS * 53 },
] as const;

/**
 * An agency's overview of all its advertisers over twelve months: through HTTP, gateway and function of the local stage, whose table is the
 * embedded engine, so most of the time is the engine's own.
 */
export async function benchAgency(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-agency-'));
  const stage = await startRealStage();
  try {
    writeAgency(folder);
    await stage.load(folder);
    const results: BenchRow[] = [];
    for (const { userId, what } of CALLERS) {
      const key = await stage.createKey(userId);
      for (const grain of GRAINS) results.push(await ask(stage, key, what, grain));
    }
    return results;
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true });
  }
}

async function ask(
  stage: RealStage,
  key: string,
  what: string,
  { dimension, rows }: (typeof GRAINS)[number],
): Promise<BenchRow> {
  const request = {
    startDate: formatDay(FIRST),
    endDate: formatDay(FIRST + DAYS - 1),
    advertiserIds: [],
    metrics: ['impressions', 'clicks', 'cost', 'halo_revenue', 'halo_roas', 'click_through_rate'],
    dimensions: ['advertiser_name', dimension],
    sort: [{ field: 'cost', order: 'DESC' }],
    pagination: { offset: 0, size: 100 },
  };
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    times.push(
      await timed(async () => {
        // the amount of clicks is another each time: none is answered from kept rows
        const filters = [{ field: 'clicks', operator: 'GREATER_THAN', values: [String(-1 - run)] }];
        const { totalCount } = await stage.report(key, 'pla', { ...request, filters });
        if (totalCount !== rows) throw new Error(`${totalCount} rows where there are ${rows}`);
      }),
    );
  }
  const { storeCalls, readUnits, rowsScanned } = lastReport(stage);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  return {
    what: `${what}, by advertiser and ${dimension}, ${DAYS} days`,
    ours: `${seconds(median(times))} (first ${seconds(times[0] ?? 0)})`,
    peer: '2 s',
    ratio: median(times) / 2_000,
    reach: '≤ 1',
    note: `${rows.toLocaleString('en-US')} rows; ${storeCalls} calls, ${readUnits} read units, ${rowsScanned} rows scanned`,
  };
}

const PURCHASE = {
  halo_transactions: 1,
  halo_units: 2,
  halo_revenue: 7.98,
  halo_exposed_transactions: 1,
  halo_exposed_units: 2,
  halo_exposed_revenue: 7.98,
};

function lastReport(stage: RealStage): Readonly<Record<string, number>> {
  const line = stage
    .log()
    .split('\n')
    .findLast((it) => it.includes('"route":"POST /report/'));
  return JSON.parse(line ?? '{}');
}

export function writeAgency(folder: string, advertiserCount = ADVERTISERS): void {
  const random = seededRandom(20);
  const advertisers = range(advertiserCount).map((i) => 1 + i);
  writeLoadFile(folder, 'accounts.ndjson', [
    { id: SHARED_ACCOUNT, name: 'All of them' },
    ...advertisers.map((id) => ({ id: OWN_ACCOUNTS + id - 1, name: `Account of ${id}` })),
  ]);
  writeLoadFile(
    folder,
    'advertisers.ndjson',
    advertisers.map((id) => {
      const own = OWN_ACCOUNTS + id - 1;
      return { id, name: `Advertiser ${id}`, accountId: own, accountIds: [own, SHARED_ACCOUNT] };
    }),
  );
  writeLoadFile(
    folder,
    'users.ndjson',
    CALLERS.map(({ userId, accountIds }) => ({
      userId,
      name: userId,
      userType: 'AGENCY',
      accountIds: accountIds.filter((id) => id < OWN_ACCOUNTS + advertiserCount),
    })),
  );
  writeLoadFile(
    folder,
    'campaigns.ndjson',
    advertisers.map((id) => ({
      id,
      name: `Campaign ${id}`,
      advertiserId: id,
      status: 'ACTIVE',
      startDate: '2025-01-01',
    })),
  );
  writeLoadFile(
    folder,
    'ad_groups.ndjson',
    advertisers.flatMap((campaignId) =>
      range(AD_GROUPS).map((i) => {
        const id = campaignId * 10 + i;
        return { id, name: `Ad group ${id}`, campaignId, status: 'ACTIVE', startDate: '2025-01-01' };
      }),
    ),
  );
  const dates = range(DAYS).map((day) => formatDay(FIRST + day));
  const touches = advertisers.flatMap((id) =>
    range(AD_GROUPS).map((i) => ({ advertiserId: id, adGroupId: id * 10 + i })),
  );
  writeLoadFile(
    folder,
    'facts/pla/delivery.ndjson',
    touches.flatMap(({ adGroupId }) =>
      dates.map((date) => {
        const impressions = 1 + Math.floor(1_000 * random() ** 3);
        const clicks = Math.floor(impressions * 0.02 * random());
        return { daily_date: date, hour: 12, ad_group_id: adGroupId, impressions, clicks, cost: clicks / 2 };
      }),
    ),
  );
  writeLoadFile(
    folder,
    'facts/pla/conversions.ndjson',
    touches.flatMap(({ adGroupId }) =>
      dates
        .filter(() => random() < 0.3)
        .map((date) => ({ daily_date: date, hour: 15, ad_group_id: adGroupId, ...PURCHASE })),
    ),
  );
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
