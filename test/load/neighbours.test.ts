import { describe, expect, test } from 'vitest';
import type { ReportQuery } from '../../shared/report/query/query.ts';
import { runReport } from '../../shared/report/run-report.ts';
import { readCommit } from '../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../shared/store/segment-source.ts';
import type { Meter } from '../../shared/store/table/table.ts';
import { SETTINGS } from '../support/report-settings.ts';
import { useTable } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import type { FolderRows } from './support/network-rows.ts';

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
