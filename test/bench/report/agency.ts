import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayNumber, formatDay } from '../../../shared/lib/calendar.ts';
import { randomFrom } from '../../oracle/random/random.ts';
import { type RealStage, startRealStage } from '../../real/real-stage.ts';
import { type LoadRow, writeLoadFile } from '../../real/write-folder.ts';
import type { BenchRow } from '../bench-row.ts';
import { formatNumber, formatSeconds } from '../tools/format.ts';
import { median, timed } from '../tools/timing.ts';

const DAYS = 365;
const FIRST = dayNumber('2025-03-01');
/** A folder may have a million days, counted per advertiser and table: in this time, PLATFORM has 600,000 of delivery and 180,000 of conversions. */
const DAYS_PER_LOAD = 120;
const RUNS = 7;

/** Every advertiser belongs to the shared account and to an account of its own. */
const SHARED_ACCOUNT = 1;
const FIRST_OWN_ACCOUNT = 1_000;

const ADVERTISERS = Array.from({ length: 500 }, (_, i) => 1 + i);
const AD_GROUPS = [0, 1, 2, 3]; // per advertiser
const LIMITS = { ms: 500, units: 500 };

/** An agency with one account that has all advertisers, and an agency with one account per advertiser. */
const CALLERS = [
  { userId: 'one-account', accountIds: [SHARED_ACCOUNT], what: `1 account of ${ADVERTISERS.length} advertisers` },
  {
    userId: 'many-accounts',
    accountIds: ADVERTISERS.map(ownAccount),
    what: `${ADVERTISERS.length} accounts of 1 advertiser each`,
  },
];

/** Calendar units, with their number in the DAYS from FIRST on: a Saturday, so the first and the last week are not whole. */
const GRAINS = [
  { dimension: 'month_date', count: 12 },
  { dimension: 'week_date', count: 53 },
] as const;

/** Overviews of agencies over twelve months, requested over HTTP from the local stage. Most of the time is spent in the embedded table engine. */
export async function benchAgency(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-agency-'));
  const stage = await startRealStage();
  try {
    const random = randomFrom(20).next;
    writeFolder(folder, LISTINGS);
    await stage.load(folder);
    for (let first = 0; first < DAYS; first += DAYS_PER_LOAD) {
      const days = Array.from({ length: Math.min(DAYS_PER_LOAD, DAYS - first) }, (_, i) =>
        formatDay(FIRST + first + i),
      );
      rmSync(folder, { recursive: true });
      writeFolder(folder, factsOf(days, random));
      await stage.load(folder);
    }
    const results: BenchRow[] = [];
    for (const { userId, what } of CALLERS) {
      const key = await stage.createKey(userId);
      for (const grain of GRAINS) results.push(...(await compare(stage, key, what, grain)));
    }
    return results;
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true });
  }
}

async function compare(
  stage: RealStage,
  key: string,
  what: string,
  { dimension, count }: (typeof GRAINS)[number],
): Promise<BenchRow[]> {
  const rows = ADVERTISERS.length * count;
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
        // A different filter value per run prevents cache hits.
        const filters = [{ field: 'clicks', operator: 'GREATER_THAN', values: [String(-1 - run)] }];
        const { totalCount } = await stage.report(key, 'pla', { ...request, filters });
        if (totalCount !== rows) throw new Error(`the report has ${totalCount} rows instead of ${rows}`);
      }),
    );
  }
  const { storeCalls = 0, readUnits = 0, rowsScanned = 0 } = lastLoggedReport(stage);
  const report = `${what}, by advertiser and ${dimension}, ${DAYS} days`;
  return [
    {
      what: report,
      endcap: `${formatSeconds(median(times))} (first ${formatSeconds(times[0] ?? 0)})`,
      peer: `limit: ${formatSeconds(LIMITS.ms)}`,
      ratio: median(times) / LIMITS.ms,
      target: '≤ 1',
      note: `${formatNumber(rows)} rows; ${storeCalls} calls, ${formatNumber(rowsScanned)} rows scanned`,
    },
    {
      what: 'read units of the same',
      endcap: formatNumber(readUnits),
      peer: `limit: ${formatNumber(LIMITS.units)}`,
      ratio: readUnits / LIMITS.units,
      target: '≤ 1',
    },
  ];
}

const PURCHASE = {
  halo_transactions: 1,
  halo_units: 2,
  halo_revenue: 7.98,
  halo_exposed_transactions: 1,
  halo_exposed_units: 2,
  halo_exposed_revenue: 7.98,
};

/** @returns the stage's last log line of a report */
function lastLoggedReport(stage: RealStage): Readonly<Record<string, number>> {
  const line = stage
    .log()
    .split('\n')
    .findLast((logged) => logged.includes('"route":"POST /report/'));
  return JSON.parse(line ?? '{}');
}

type Files = Readonly<Record<string, readonly LoadRow[]>>;

const RUNNING = { status: 'ACTIVE', startDate: '2025-01-01' };
const LISTINGS: Files = {
  accounts: [
    { id: SHARED_ACCOUNT, name: 'All advertisers' },
    ...ADVERTISERS.map((id) => ({ id: ownAccount(id), name: `Account of ${id}` })),
  ],
  users: CALLERS.map(({ userId, accountIds }) => ({ userId, name: userId, userType: 'AGENCY', accountIds })),
  advertisers: ADVERTISERS.map((id) => {
    const own = ownAccount(id);
    return { id, name: `Advertiser ${id}`, accountId: own, accountIds: [own, SHARED_ACCOUNT] };
  }),
  campaigns: ADVERTISERS.map((id) => ({ id, name: `Campaign ${id}`, advertiserId: id, ...RUNNING })),
  ad_groups: ADVERTISERS.flatMap((campaignId) =>
    adGroupsOf(campaignId).map((id) => ({ id, name: `Ad group ${id}`, campaignId, ...RUNNING })),
  ),
};

function factsOf(dates: readonly string[], random: () => number): Files {
  const adGroups = ADVERTISERS.flatMap(adGroupsOf);
  return {
    'facts/pla/delivery': adGroups.flatMap((id) =>
      dates.map((date) => {
        const impressions = 1 + Math.floor(1_000 * random() ** 3);
        const clicks = Math.floor(impressions * 0.02 * random());
        return { daily_date: date, hour: 12, ad_group_id: id, impressions, clicks, cost: clicks / 2 };
      }),
    ),
    'facts/pla/conversions': adGroups.flatMap((id) =>
      dates.filter(() => random() < 0.3).map((date) => ({ daily_date: date, hour: 15, ad_group_id: id, ...PURCHASE })),
    ),
  };
}

function writeFolder(folder: string, files: Files): void {
  for (const [name, rows] of Object.entries(files)) writeLoadFile(folder, `${name}.ndjson`, rows);
}

/** @returns the ids of the ad groups of an advertiser's only campaign, which has its id */
function adGroupsOf(advertiserId: number): number[] {
  return AD_GROUPS.map((i) => advertiserId * 10 + i);
}

function ownAccount(advertiserId: number): number {
  return FIRST_OWN_ACCOUNT + advertiserId - 1;
}
