import { expect, test } from 'vitest';
import { useEngine } from '../../support/use-engine.ts';
import { EXPECTED } from '../support/expected-network.ts';
import { loadRows, tableWith } from '../support/load-rows.ts';
import { FACTS, NETWORK } from '../support/network-rows.ts';
import { readStoredNetwork } from '../support/read-stored-network.ts';

const engine = useEngine();

const loadedTable = () => tableWith(engine, { ...NETWORK, ...FACTS });

const ROW = { daily_date: '2026-03-02', hour: 3, ad_group_id: 1000, impressions: 1 };
const STORED = [{ hour: 3, ad_group_id: 1000, impressions: 1 }];
const RESTATED = { 'facts/pla/delivery': [ROW] };

test('with "days", a day that the folder has loses the rows of other advertisers in the same experience and table only', async () => {
  const table = await loadedTable();
  const report = await loadRows(RESTATED, table, { replace: 'days' });
  expect(report).toMatchObject({
    outcome: 'loaded',
    warnings: [],
    emptied: [{ experience: 'pla', table: 'delivery', days: 1 }],
  });
  const { 'pla delivery 11 2026-03-02': _, ...facts } = EXPECTED.facts;
  expect(await readStoredNetwork(table)).toEqual({
    ...EXPECTED,
    facts: { ...facts, 'pla delivery 10 2026-03-02': STORED },
  });
  expect(await loadRows(RESTATED, table, { replace: 'days' })).toMatchObject({ outcome: 'unchanged', emptied: [] });
});

test('without a mode, a warning names the advertisers that keep rows of the same days, and with "advertiser-days" none does', async () => {
  const table = await loadedTable();
  expect((await loadRows(RESTATED, table)).warnings).toEqual([
    '1 advertiser keeps its rows of days that the folder has of others only, such as 11 (pla delivery, 2026-03-02); --replace days removes them, --replace advertiser-days keeps them without this warning',
  ]);
  expect((await loadRows(RESTATED, table, { replace: 'advertiser-days' })).warnings).toEqual([]);
  const deletions = [{ experience: 'pla', table: 'delivery', advertiserId: 11, day: '2026-03-02' }];
  expect((await loadRows({ ...RESTATED, deletions }, table)).warnings).toEqual([]);
});

test('a day that is deleted and loaded is emptied, then loaded', async () => {
  const table = await loadedTable();
  const deletions = [{ experience: 'pla', table: 'delivery', advertiserId: '', day: '2026-03-02' }];
  const report = await loadRows({ ...RESTATED, deletions }, table);
  expect(report).toMatchObject({
    outcome: 'loaded',
    warnings: [],
    facts: [{ experience: 'pla', table: 'delivery', rows: 1, days: 1 }],
    emptied: [{ experience: 'pla', table: 'delivery', days: 1 }],
  });
  const { 'pla delivery 11 2026-03-02': _, ...facts } = EXPECTED.facts;
  expect((await readStoredNetwork(table)).facts).toEqual({ ...facts, 'pla delivery 10 2026-03-02': STORED });
});
