import { describe, expect, test } from 'vitest';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf } from '../support/folder.ts';
import { killAtCalls, loadRows, outcomeOf, tableWith } from '../support/load-rows.ts';
import { EXPECTED, FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import { readStoredNetwork } from '../support/read-stored-network.ts';

const engine = useEngine();

const loadedTable = () => tableWith(engine, { ...NETWORK, ...FACTS });

/** Has the hours that advertiser 10 has on the day, so that there is no warning of lost ones. */
const STORED = [9, 10].map((hour) => ({ hour, ad_group_id: 1000, impressions: 20 }));
const RESTATED = { 'facts/pla/delivery': STORED.map((row) => ({ ...row, daily_date: '2026-03-02' })) };
const EMPTIED = (days: string, figures: string) =>
  `facts/pla/${days} emptied for lack of rows in the folder, such as ${figures} before, no rows now; days in the file deletions are emptied without this warning`;
const EMPTIED_OF_11 = EMPTIED(
  'delivery*: 1 advertiser day',
  '2026-03-02 of advertiser 11: 1 hour with 4 impressions at a cost of 12,345.678901',
);
const LOST =
  'facts/pla/delivery*: replaced days had values before, and have none now, of clicks (1 on 1 day), cost (0.3 on 1 day), creative_key (on 1 day), division_banner (on 1 day), entity_id (on 1 day), keyword (on 1 day), placement_id (on 1 day), users (on 1 day)';

test('with "days", a day that the folder has loses the rows of other advertisers in the same experience and table only', async () => {
  const table = await loadedTable();
  const report = await loadRows(RESTATED, table, { replace: 'days' });
  expect(report).toMatchObject({
    outcome: 'loaded',
    warnings: [EMPTIED_OF_11, LOST],
    changes: [{ experience: 'pla', table: 'delivery', days: { added: 0, replaced: 1, emptied: 1 } }],
  });
  const { 'pla delivery 11 2026-03-02': _, ...facts } = EXPECTED.facts;
  expect(await readStoredNetwork(table)).toEqual({
    ...EXPECTED,
    facts: { ...facts, 'pla delivery 10 2026-03-02': STORED },
  });
  expect(await loadRows(RESTATED, table, { replace: 'days' })).toMatchObject({ outcome: 'unchanged', changes: [] });
});

test('with a period, all its days are emptied that the folder has no rows of, in its tables and also of market', async () => {
  const table = await loadedTable();
  const deletions = [{ experience: 'pla', table: 'delivery', advertiserId: '', day: '2026-03-03' }];
  const rows = { ...RESTATED, 'facts/pla/market': [], deletions };
  const check = await loadRows(rows, table, { replace: '2026-02-27..2026-03-03', check: true });
  expect(check).toMatchObject({
    outcome: 'checked',
    warnings: [
      'facts/pla/market*: no rows',
      EMPTIED_OF_11,
      EMPTIED('market*: 2 market days', '2026-03-02: 1 hour with 1,000 impressions'),
      LOST,
    ],
    changes: [
      { experience: 'pla', table: 'delivery', days: { added: 0, replaced: 1, emptied: 2 } },
      { experience: 'pla', table: 'market', days: { added: 0, replaced: 0, emptied: 2 } },
    ],
  });
  const { changes, warnings } = await loadRows(rows, table, { replace: '2026-02-27..2026-03-03' });
  expect({ changes, warnings }).toEqual({ changes: check.changes, warnings: check.warnings });
  const left = Object.entries(EXPECTED.facts).filter(([day]) => !/^pla (delivery|market)/.test(day));
  expect((await readStoredNetwork(table)).facts).toEqual({
    ...Object.fromEntries(left),
    'pla delivery 10 2026-03-02': STORED,
  });
  expect(await outcomeOf(RESTATED, table, { replace: '2026-03-03..2026-03-05' })).toEqual([
    'rejected',
    'facts/pla/delivery*: rows of 2026-03-02 are outside --replace 2026-03-03..2026-03-05',
  ]);
});

test('columns.json in the folder may say the mode, and an option comes before it', async () => {
  const table = await loadedTable();
  using folder = folderOf(RESTATED);
  folder.write('columns.json', '{"replace":"days"}');
  const given = { userIdKey, folder: folder.path, table, timeZone: 'UTC' };
  const changed = async (options: { replace?: 'hours'; check: true }) =>
    (await loadFolder({ ...given, ...options })).changes.map(({ days }) => days.emptied);
  expect(await changed({ check: true })).toEqual([1]);
  expect(await changed({ check: true, replace: 'hours' })).toEqual([0]);
  folder.write('columns.json', '{"replace":"day"}');
  expect((await loadFolder(given)).problems.map(formatProblem)).toEqual([
    'columns.json: replace must be one of advertiser-days, days, hours, or days such as 2026-02-01..2026-02-28',
  ]);
});

test('without a mode, a warning names the advertisers that keep rows of the same days, and with "advertiser-days" none does', async () => {
  const table = await loadedTable();
  expect((await loadRows(RESTATED, table)).warnings).toEqual([
    '1 advertiser keeps its rows of days that the folder has of others only, such as 11 (pla delivery, 2026-03-02); --replace days removes them, --replace advertiser-days keeps them without this warning',
    LOST,
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
    warnings: [LOST],
    facts: [{ experience: 'pla', table: 'delivery', rows: 2, days: 1 }],
    changes: [{ experience: 'pla', table: 'delivery', days: { added: 0, replaced: 1, emptied: 1 } }],
  });
  const { 'pla delivery 11 2026-03-02': _, ...facts } = EXPECTED.facts;
  expect((await readStoredNetwork(table)).facts).toEqual({ ...facts, 'pla delivery 10 2026-03-02': STORED });
});

describe('a day that loses rows is a warning', () => {
  const hoursFrom = (first: number, last: number, impressions = 100, day = '2026-03-05') =>
    Array.from({ length: last - first + 1 }, (_, hour) => ({
      ...{ daily_date: day, hour: first + hour, ad_group_id: 1000, impressions },
      users: [`u${first + hour}`],
    }));

  test.each<[string, FolderRows, FolderRows, string[]]>([
    [
      'if hours that it had are missing, as many as it has',
      { 'facts/pla/delivery': hoursFrom(0, 11) },
      { 'facts/pla/delivery': hoursFrom(12, 23) },
      [
        'facts/pla/delivery*: 1 advertiser day with fewer hours or less than half of the impressions, such as 2026-03-05 of advertiser 10: 12 hours with 1,200 impressions before, 12 hours with 1,200 impressions now; --replace hours keeps hours that the folder does not have',
      ],
    ],
    [
      'if it has less than half of its impressions, once for the table',
      { 'facts/pla/delivery': [...hoursFrom(0, 23, 9), ...hoursFrom(0, 23, 100, '2026-03-06')] },
      { 'facts/pla/delivery': [...hoursFrom(0, 23, 4), ...hoursFrom(0, 23, 49, '2026-03-06')] },
      [
        'facts/pla/delivery*: 2 advertiser days with fewer hours or less than half of the impressions, such as 2026-03-06 of advertiser 10: 24 hours with 2,400 impressions before, 24 hours with 1,176 impressions now; --replace hours keeps hours that the folder does not have',
      ],
    ],
    [
      'in market and in tables without impressions, too',
      {
        'facts/pla/market': [{ daily_date: '2026-03-05', hour: 1, impressions: 900 }],
        'facts/pla/activity': [1, 2].map((hour) => ({
          daily_date: '2026-03-05',
          hour,
          ad_group_id: 1000,
          live_seconds: 5,
        })),
      },
      {
        'facts/pla/market': [{ daily_date: '2026-03-05', hour: 1, impressions: 449 }],
        'facts/pla/activity': [{ daily_date: '2026-03-05', hour: 2, ad_group_id: 1000, live_seconds: 5 }],
      },
      [
        'facts/pla/activity*: 1 advertiser day with fewer hours or less than half of the impressions, such as 2026-03-05 of advertiser 10: 2 hours before, 1 hour now; --replace hours keeps hours that the folder does not have',
        'facts/pla/market*: 1 market day with fewer hours or less than half of the impressions, such as 2026-03-05: 1 hour with 900 impressions before, 1 hour with 449 impressions now; --replace hours keeps hours that the folder does not have',
      ],
    ],
    ['unless it grows', { 'facts/pla/delivery': hoursFrom(3, 4) }, { 'facts/pla/delivery': hoursFrom(2, 5, 50) }, []],
    [
      'unless a deletions file says so',
      { 'facts/pla/delivery': hoursFrom(0, 11) },
      {
        'facts/pla/delivery': hoursFrom(12, 13),
        deletions: [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-05' }],
      },
      [],
    ],
  ])('%s', async (_what, first, second, warnings) => {
    const table = await tableWith(engine, { ...NETWORK, ...first });
    expect((await loadRows(second, table)).warnings).toEqual(warnings);
    expect((await loadRows(second, table)).outcome).toMatch(/loaded|unchanged/);
  });
});

describe('with "hours", only the hours that the folder has are replaced', () => {
  /** Keys, sums that are exact only as integers, and users that several rows have. */
  const delivery = (hours: readonly number[], cost: string, users: readonly string[]) =>
    hours.flatMap((hour) =>
      [1000, 1001].map((adGroup) => ({
        ...{ daily_date: '2026-03-05', hour, ad_group_id: adGroup, keyword: hour % 2 === 0 ? `k${hour}` : '' },
        ...{ creative_key: 'k1', impressions: hour + 1, cost, users: [...users, `u${hour}`] },
      })),
    );
  const hourly = (table: string, hours: readonly number[], row: LoadRow) => ({
    [`facts/pla/${table}`]: hours.map((hour) => ({ daily_date: '2026-03-05', hour, ...row })),
  });
  const folder = (hours: readonly number[], cost: string, users: readonly string[], count: number): FolderRows => ({
    'facts/pla/delivery': delivery(hours, cost, users),
    ...hourly('conversions', hours, { ad_group_id: 1000, halo_exposed_transactions: count, users: [...users] }),
    ...hourly('activity', hours, { ad_group_id: 1001, live_seconds: count }),
    ...hourly('market', hours, { keyword: 'k', impressions: 100, advertisers: count }),
  });
  const joined = (...folders: FolderRows[]): FolderRows =>
    Object.fromEntries(Object.keys(folders[0] ?? {}).map((name) => [name, folders.flatMap((one) => one[name] ?? [])]));

  const NIGHT = folder([0, 1, 2, 3], '0.100001', ['ann', 'bob'], 2);
  const MORNING = folder([3, 4, 7], '9007.199254', ['bob', 'cyd'], 3);
  const REPLACED = joined(folder([0, 1, 2], '0.100001', ['ann', 'bob'], 2), MORNING);

  test('and the result is that of one folder with all hours, in items, rollups and users', async () => {
    const table = await tableWith(engine, { ...NETWORK, ...NIGHT });
    const expected = await tableWith(engine, { ...NETWORK, ...REPLACED });
    const report = await loadRows(MORNING, table, { replace: 'hours' });
    expect(report).toMatchObject({ outcome: 'loaded', warnings: [] });
    expect(await readStoredNetwork(table)).toEqual(await readStoredNetwork(expected));
    expect(await loadRows(REPLACED, table)).toMatchObject({ outcome: 'unchanged' }); // days have the same bytes
    expect(await loadRows(MORNING, table, { replace: 'hours' })).toMatchObject({ outcome: 'unchanged' });
  });

  test('but all hours of a day that a deletions file names', async () => {
    const table = await tableWith(engine, { ...NETWORK, ...NIGHT });
    const deletions = [{ experience: 'pla', table: 'delivery', advertiserId: 10, day: '2026-03-05' }];
    await loadRows({ ...MORNING, deletions }, table, { replace: 'hours' });
    expect(await loadRows({ 'facts/pla/delivery': MORNING['facts/pla/delivery'] ?? [] }, table)).toMatchObject({
      outcome: 'unchanged',
    });
  });

  test('and a load that is killed leaves all or nothing of it', async () => {
    const table = await tableWith(engine, { ...NETWORK, ...NIGHT });
    const load = (dying: Table) => loadRows(MORNING, dying, { replace: 'hours' });
    expect(await killAtCalls(table, 7, load)).toBeGreaterThan(3);
    expect((await load(table)).outcome).toMatch(/^(loaded|unchanged)$/);
    expect(await loadRows(REPLACED, table)).toMatchObject({ outcome: 'unchanged' });
  });
});
