import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { readAudit } from '../../shared/store/audit-trail.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import type { Meter } from '../../shared/store/table/table.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { useTable } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from './support/network-rows.ts';

const made = useTable();
let now = Date.parse('2026-03-10T12:00:00Z');

async function load(rows: FolderRows): Promise<void> {
  now += 60_000;
  await loadRows(rows, made.table, { limits: { threads: 0 }, clock: () => now, actor: 'local user ana' });
}

test('the audit records who loaded which folder, and which listings and days changed; a load that changes nothing has no entry', async () => {
  await load({ ...NETWORK, ...FACTS });
  await load({ ...NETWORK, ...FACTS });
  const renamed = NETWORK.contacts?.map((contact) => ({ ...contact, lastName: 'Ng' })) ?? [];
  const delivery = FACTS['facts/pla/delivery'] ?? [];
  const changed = delivery.map((row) => (row.daily_date === '2026-03-02' ? { ...row, impressions: 70 } : row));
  await load({ ...NETWORK, contacts: renamed, 'facts/pla/delivery': changed });
  await load({ deletions: [{ experience: 'pla', table: 'delivery', day: '2026-03-02' }] });
  const entries = await readAudit(made.table, now - 86_400_000, now);
  const loadedFolder = expect.stringContaining('endcap-test-load-');
  expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual(
    entries.map(() => ['local user ana', 'load', loadedFolder]),
  );
  const [first, second, third, ...more] = entries.map(({ at, details }) => ({ at: at.slice(11, 16), ...details }));
  expect(more).toEqual([]);
  expect(first).toMatchObject({ at: '12:01', listings: expect.arrayContaining(['accounts', 'users']) });
  expect(Object.keys(Object(first).facts)).toContain('pla/delivery');
  const seconds = expect.any(Number);
  const days = ['2026-03-02'];
  expect(second).toEqual({
    ...{ at: '12:03', listings: ['contacts'], warnings: 0, seconds },
    facts: {
      'pla/delivery': {
        ...{ loaded: days, emptied: [], rows: { before: 3, after: 3 } },
        cost: { before: 12345.978901, after: 12345.978901 },
      },
    },
  });
  expect(third).toEqual({
    ...{ at: '12:04', listings: [], warnings: 0, seconds },
    facts: {
      'pla/delivery': {
        ...{ loaded: [], emptied: days, rows: { before: 3, after: 0 } },
        cost: { before: 12345.978901, after: 0 },
      },
    },
  });
});

const ADVERTISERS = 11;
const MINE = 1;

/** Each advertiser has one campaign, two ad groups, and facts on forty days in two months. */
const ids = Array.from({ length: ADVERTISERS }, (_, i) => 1 + i);
const LISTINGS = {
  accounts: ids.map((id) => ({ id, name: `Account ${id}` })),
  advertisers: ids.map((id) => ({ id, name: `Advertiser ${id}`, accountId: id })),
  campaigns: ids.map((id) => ({
    id,
    name: `Campaign ${id}`,
    advertiserId: id,
    status: 'ACTIVE',
    startDate: '2026-01-01',
  })),
  ad_groups: ids.flatMap((id) =>
    [1, 2].map((i) => ({
      id: id * 10 + i,
      name: `Ad group ${i} of ${id}`,
      campaignId: id,
      status: 'ACTIVE',
      startDate: '2026-01-01',
    })),
  ),
};

function deliveryOf(advertiserIds: readonly number[]) {
  return advertiserIds.flatMap((id) =>
    Array.from({ length: 40 * 2 * 5 }, (_, i) => ({
      daily_date: new Date(Date.UTC(2026, 1, 1 + (i % 40))).toISOString().slice(0, 10),
      hour: i % 24,
      ad_group_id: id * 10 + 1 + (i % 2),
      keyword: `keyword ${i % 7}`,
      impressions: id + i,
      clicks: i % 3,
      cost: i % 3,
    })),
  );
}

describe('other advertisers in the table', () => {
  const made = useTable();

  const load = async (rows: FolderRows) => {
    const report = await loadRows(rows, made.table, { timeZone: SETTINGS.timezone });
    expect(report.outcome).toBe('loaded');
  };

  const ask = async (dimensions: ReportQuery['dimensions']) => {
    const meter: Meter = { readUnits: 0, writeUnits: 0, calls: 0 };
    const table = made.table.metered(meter);
    const source = openSegmentSource(table, await readCommit(table));
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: '2026-02-01', endDate: '2026-03-12', filters: [], sort: [] },
      ...{ pagination: { offset: 0, size: 1_000 }, metrics: ['impressions', 'clicks', 'cost'], dimensions },
    };
    const scope = { accountIds: new Set([MINE]), advertiserIds: [MINE], ownAdvertiserIds: [MINE] };
    const { data, totalCount } = await runReport({ query, scope, settings: SETTINGS, source });
    return { data, totalCount, ...meter };
  };

  test('change neither a report nor what it costs, from rollups or from facts', async () => {
    const shapes = [['daily_date', 'ad_group_id'], ['keyword'], ['keyword', 'hour']] as const;
    await load({ ...LISTINGS, 'facts/pla/delivery': deliveryOf([MINE]) });
    const alone = [];
    for (const dimensions of shapes) alone.push(await ask(dimensions));
    // each of the 40 days has rows of one ad group; 7 keywords, and 7 × 24 with their hours
    expect(alone.map(({ totalCount }) => totalCount)).toEqual([40, 7, 168]);

    await load({ 'facts/pla/delivery': deliveryOf(ids.filter((id) => id !== MINE)) });
    const among = [];
    for (const dimensions of shapes) among.push(await ask(dimensions));
    expect(among).toEqual(alone);
  });
});
