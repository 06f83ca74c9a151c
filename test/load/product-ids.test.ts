import { expect, test } from 'vitest';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { useTable } from '../support/use-engine.ts';
import { loadRows } from './support/load-rows.ts';
import { NETWORK } from './support/network-rows.ts';
import { readStoredNetwork } from './support/read-stored-network.ts';

const made = useTable();

test('product ids that are no UPCs are loaded as they are if the platform has such, and texts in NFC', async () => {
  const keys = { daily_date: '2026-03-01', ad_group_id: 1000 };
  const rows = [
    { ...keys, hour: 0, entity_id: 'B00EXAMPLE', keyword: 'cafe\u0301' },
    { ...keys, hour: 1, entity_id: '0042', keyword: '' },
  ];
  const folder = {
    ...NETWORK,
    products: [{ id: 90, advertiserId: 10, upc: 'B00EXAMPLE', name: 'Ten' }],
    freshness: [{ experience: 'pla', completeThrough: '2026-03-01' }],
    ad_groups: NETWORK.ad_groups?.map((row) => ({ ...row, productIds: [] })) ?? [],
    'facts/pla/delivery': rows,
  };
  const rejected = await loadRows(folder, made.table);
  expect(rejected.problems.map(formatProblem)).toEqual([
    'products.ndjson:1: upc is no UPC, which has digits only: if your products have other ids, give the setting productIds the value text',
    'facts/pla/delivery.ndjson:1: entity_id is no UPC, which has digits only: if your products have other ids, give the setting productIds the value text',
  ]);
  const { warnings } = await loadRows(folder, made.table, { productIds: 'text' });
  expect(warnings).toEqual([
    'facts/pla/delivery*: rows with an entity_id that is no product of the advertiser: 1, such as 0042 in an ad group of advertiser 10 (facts/pla/delivery.ndjson:2)',
  ]);
  const { facts } = await readStoredNetwork(made.table);
  expect(facts).toEqual({
    'pla delivery 10 2026-03-01': [
      { ad_group_id: 1000, hour: 1, entity_id: '0042' },
      { ad_group_id: 1000, entity_id: 'B00EXAMPLE', keyword: 'caf\u00e9' },
    ],
  });
});
