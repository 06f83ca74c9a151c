import { beforeAll, expect, test } from 'vitest';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { useEngine } from '../../support/use-engine.ts';
import { outcomeOf, tableWith } from '../support/load-rows.ts';
import { FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import { readStoredNetwork } from '../support/read-stored-network.ts';

const engine = useEngine();
/** A table with facts of the network, in which no test moves an ad group to another advertiser. */
let table: Table;
beforeAll(async () => {
  table = await tableWith(engine, { ...NETWORK, ...FACTS });
});

/** @returns the listing's rows, those of the given ids changed */
function changed(listing: 'campaigns' | 'ad_groups', changes: Readonly<Record<number, object>>): FolderRows {
  return { [listing]: (NETWORK[listing] ?? []).map((row) => ({ ...row, ...changes[Number(row.id)] })) };
}

const NO_PRODUCTS = { productIds: [] };
const CAMPAIGNS_SWAPPED = changed('campaigns', { 100: { advertiserId: 11 }, 110: { advertiserId: 10 } });

/*
 * Without this rejection, the stored facts of the ad group stay with the first advertiser. When their file is loaded again, they are stored for the
 * second advertiser too, and no later load replaces the first copy.
 */
test.each<[string, FolderRows, string[]]>([
  [
    'a campaign, reported once for all its ad groups',
    { ...CAMPAIGNS_SWAPPED, ...changed('ad_groups', { 1001: NO_PRODUCTS }) },
    [
      'campaigns.ndjson:1: advertiserId must remain 10: ad group 1001 of this campaign already has facts of that advertiser. Use a new id for the campaign of 11',
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
  const before = await readCommit(table);
  expect(await outcomeOf({ ...rows, ...FACTS }, table)).toEqual(['rejected', ...problems]);
  expect(await readCommit(table)).toEqual(before);
});

test('rejects moving an ad group that was delisted in between, which may return to its own advertiser', async () => {
  const without = { ad_groups: (NETWORK.ad_groups ?? []).filter((adGroup) => adGroup.id !== 1001) };
  expect(await outcomeOf(without, table)).toEqual(['loaded']);
  // a load without ad groups keeps the delisted ones
  expect(await outcomeOf({ placements: NETWORK.placements?.slice(0, 1) ?? [] }, table)).toEqual(['loaded']);
  const elsewhere = changed('ad_groups', { 1001: { campaignId: 110, ...NO_PRODUCTS } });
  expect(await outcomeOf(elsewhere, table)).toEqual([
    'rejected',
    'ad_groups.ndjson:1: campaignId must be a campaign of advertiser 10: ad group 1001 already has facts of that advertiser. Use a new id for the ad group of 11',
  ]);
  expect(await outcomeOf(changed('ad_groups', {}), table)).toEqual(['loaded']);
});

test('accepts moving an ad group to another campaign of the same advertiser, without changing its facts', async () => {
  const before = await readStoredNetwork(table);
  const campaigns = [...(NETWORK.campaigns ?? []), { ...NETWORK.campaigns?.[0], id: 101, name: 'Summer' }];
  const { ad_groups = [] } = changed('ad_groups', { 1001: { campaignId: 101 } });
  expect(await outcomeOf({ campaigns, ad_groups }, table)).toEqual(['loaded']);
  expect((await readStoredNetwork(table)).facts).toEqual(before.facts);
});

test('accepts moving a campaign without facts to another advertiser', async () => {
  const { 'facts/pla/market': market = [] } = FACTS;
  const own = await tableWith(engine, { ...NETWORK, 'facts/pla/market': market });
  expect(await outcomeOf({ ...CAMPAIGNS_SWAPPED, ...changed('ad_groups', { 1001: NO_PRODUCTS }) }, own)).toEqual([
    'loaded',
  ]);
  expect((await readStoredNetwork(own)).adGroups).toMatchObject({
    1001: { advertiserId: 11 },
    1100: { advertiserId: 10 },
  });
});
