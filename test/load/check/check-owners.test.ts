import { expect, test } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf } from '../folder.ts';
import { FACTS, type FolderRows, NETWORK } from '../network-rows.ts';
import { readStoredNetwork } from '../read-stored-network.ts';

const engine = useEngine();

/** @returns the outcome and what is wrong */
async function load(rows: FolderRows, table: Table): Promise<string[]> {
  using folder = folderOf(rows);
  const { outcome, problems } = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
  return [outcome, ...problems.map(formatProblem)];
}

/** @returns a table that holds NETWORK and the facts */
async function tableWith(facts: FolderRows): Promise<Table> {
  const { table } = await engine.createTable();
  expect(await load({ ...NETWORK, ...facts }, table)).toEqual(['loaded']);
  return table;
}

/** @returns the listing's rows, those of the given ids changed */
function changed(listing: 'campaigns' | 'ad_groups', changes: Readonly<Record<number, object>>): FolderRows {
  return { [listing]: (NETWORK[listing] ?? []).map((row) => ({ ...row, ...changes[Number(row.id)] })) };
}

const NO_PRODUCTS = { productIds: [] };
const CAMPAIGNS_SWAPPED = changed('campaigns', { 100: { advertiserId: 11 }, 110: { advertiserId: 10 } });

/*
 * The facts of an ad group that went to another advertiser stayed with the first, and when their file was loaded again they were there twice, with
 * nothing that could have taken the old ones away.
 */
test.each<[string, FolderRows, string[]]>([
  [
    'a campaign, reported once for all its ad groups',
    { ...CAMPAIGNS_SWAPPED, ...changed('ad_groups', { 1001: NO_PRODUCTS }) },
    [
      'campaigns.ndjson:1: advertiserId must remain 10: ad group 1000 of this campaign already has facts of that advertiser. Use a new id for the campaign of 11',
      'campaigns.ndjson:2: advertiserId must remain 11: ad group 1100 of this campaign already has facts of that advertiser. Use a new id for the campaign of 10',
    ],
  ],
  [
    'ad groups',
    changed('ad_groups', { 1001: { campaignId: 110, ...NO_PRODUCTS }, 1100: { campaignId: 100 } }),
    [
      'ad_groups.ndjson:1: campaignId must be a campaign of advertiser 10: ad group 1001 already has facts of that advertiser. Use a new id for the ad group of 11',
      'ad_groups.ndjson:3: campaignId must be a campaign of advertiser 11: ad group 1100 already has facts of that advertiser. Use a new id for the ad group of 10',
    ],
  ],
])('rejects moving to another advertiser, if there are facts: %s', async (_, rows, problems) => {
  const table = await tableWith(FACTS);
  const before = await readStoredNetwork(table);
  expect(await load({ ...rows, ...FACTS }, table)).toEqual(['rejected', ...problems]);
  expect(await readStoredNetwork(table)).toEqual(before);
});

test('rejects moving an ad group that was delisted in between, which may return to its own advertiser', async () => {
  const table = await tableWith(FACTS);
  const without = { ad_groups: (NETWORK.ad_groups ?? []).filter((adGroup) => adGroup.id !== 1001) };
  expect(await load(without, table)).toEqual(['loaded']);
  expect(await load({ placements: NETWORK.placements?.slice(0, 1) ?? [] }, table)).toEqual(['loaded']);
  const elsewhere = changed('ad_groups', { 1001: { campaignId: 110, ...NO_PRODUCTS } });
  expect(await load(elsewhere, table)).toEqual([
    'rejected',
    'ad_groups.ndjson:1: campaignId must be a campaign of advertiser 10: ad group 1001 already has facts of that advertiser. Use a new id for the ad group of 11',
  ]);
  expect(await load(changed('ad_groups', {}), table)).toEqual(['loaded']);
});

test('accepts moving an ad group to another campaign of the same advertiser, without changing its facts', async () => {
  const table = await tableWith(FACTS);
  const before = await readStoredNetwork(table);
  const campaigns = [...(NETWORK.campaigns ?? []), { ...NETWORK.campaigns?.[0], id: 101, name: 'Summer' }];
  const { ad_groups = [] } = changed('ad_groups', { 1001: { campaignId: 101 } });
  expect(await load({ campaigns, ad_groups }, table)).toEqual(['loaded']);
  expect((await readStoredNetwork(table)).facts).toEqual(before.facts);
});

test('accepts moving a campaign without facts to another advertiser', async () => {
  const { 'facts/pla/market': market = [] } = FACTS;
  const table = await tableWith({ 'facts/pla/market': market });
  expect(await load({ ...CAMPAIGNS_SWAPPED, ...changed('ad_groups', { 1001: NO_PRODUCTS }) }, table)).toEqual([
    'loaded',
  ]);
  expect((await readStoredNetwork(table)).adGroups).toMatchObject({
    1001: { advertiserId: 11 },
    1100: { advertiserId: 10 },
  });
});
