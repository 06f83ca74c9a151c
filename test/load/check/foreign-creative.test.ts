import { expect, test } from 'vitest';
import type { ReportQuery } from '../../../shared/report/query/query.ts';
import { runReport } from '../../../shared/report/run-report.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import { SETTINGS } from '../../support/report-settings.ts';
import { useTable } from '../../support/use-engine.ts';
import { loadRows } from '../support/load-rows.ts';
import { NETWORK } from '../support/network-rows.ts';

const made = useTable();

test('a fact has the name of its creative, also if the creative belongs to another advertiser', async () => {
  const row = { daily_date: '2026-03-02', hour: 9, impressions: 1 };
  const delivery = [
    { ...row, ad_group_id: 1000, creative_key: 'k1' },
    { ...row, ad_group_id: 1100, creative_key: 'k1' }, // an ad group of advertiser 11; k1 is of advertiser 10
    { ...row, ad_group_id: 1100, creative_key: 'k2' },
    { ...row, ad_group_id: 1100, creative_key: 'unknown' },
  ];
  const creatives = [...(NETWORK.creatives ?? []), { key: 'k2', name: 'Tile', advertiserId: 11 }];
  const rows = { ...NETWORK, creatives, 'facts/pla/delivery': delivery };
  await loadRows(rows, made.table, { timeZone: SETTINGS.timezone });

  const ask = async (advertiserIds: number[], filters: ReportQuery['filters'] = []) => {
    const query: ReportQuery = {
      ...{ experience: 'pla', startDate: '2026-03-01', endDate: '2026-03-31', filters, sort: [] },
      ...{ pagination: { offset: 0, size: 10 }, metrics: ['impressions'], dimensions: ['creative_name'] },
    };
    const source = openSegmentSource(made.table, await readCommit(made.table));
    const scope = { accountIds: new Set([1, 2]), advertiserIds, ownAdvertiserIds: advertiserIds };
    const { data } = await runReport({ query, scope, settings: SETTINGS, source });
    return data.map((row) => [row.creative_name, row.impressions]);
  };
  const all = [
    ['Banner', 1],
    ['Tile', 1],
    [null, 1],
  ];
  expect(await ask([11])).toEqual(all);
  expect(await ask([10])).toEqual([['Banner', 1]]);
  expect(await ask([10, 11])).toEqual([['Banner', 2], ...all.slice(1)]);
  expect(await ask([11], [{ field: 'creative_name', operator: 'EQUALS', values: ['Banner'] }])).toEqual([
    ['Banner', 1],
  ]);
});
