import { describe, expect, test } from 'vitest';
import { PLATFORM_ID } from '../../../shared/layout/partitions.ts';
import { loadFolder } from '../../../shared/load/load-folder.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { readCommit } from '../../../shared/store/commit/commits.ts';
import { openSegmentSource } from '../../../shared/store/segment-source.ts';
import type { LoadRow } from '../../real/write-folder.ts';
import { useEngine } from '../../support/use-engine.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { folderOf } from '../support/folder.ts';
import { killAtCalls, loadRows, tableWith } from '../support/load-rows.ts';
import { EXPECTED, FACTS, type FolderRows, NETWORK } from '../support/network-rows.ts';
import { parquetFolderOf } from '../support/parquet-folder.ts';
import { readStoredNetwork, type StoredNetwork } from '../support/read-stored-network.ts';

const engine = useEngine();

const loadedTable = () => tableWith(engine, { ...NETWORK, ...FACTS });

const PLA = { experience: 'pla', advertiserId: '' } as const;
const DELETION: LoadRow = { ...PLA, table: 'delivery', advertiserId: 10, day: '2026-03-03' };

/** EXPECTED without the days of facts, named as in `StoredNetwork.facts`. */
function without(
  days: readonly string[],
  latestDelivery: StoredNetwork['latestDelivery'] = EXPECTED.latestDelivery,
): StoredNetwork {
  expect(Object.keys(EXPECTED.facts)).toEqual(expect.arrayContaining([...days]));
  const facts = Object.fromEntries(Object.entries(EXPECTED.facts).filter(([name]) => !days.includes(name)));
  return { ...EXPECTED, facts, latestDelivery };
}

describe('a deletions file', () => {
  test.each<[string, LoadRow[], { experience: string; table: string; days: number }[], StoredNetwork]>([
    [
      'a day of one advertiser, after which the platform’s latest delivery day is the day before',
      [DELETION],
      [{ experience: 'pla', table: 'delivery', days: 1 }],
      without(['pla delivery 10 2026-03-03'], { ...EXPECTED.latestDelivery, pla: '2026-03-02' }),
    ],
    [
      'a day of every advertiser, if no advertiser is named',
      [{ ...DELETION, advertiserId: '', day: '2026-03-02' }],
      [{ experience: 'pla', table: 'delivery', days: 2 }],
      without(['pla delivery 10 2026-03-02', 'pla delivery 11 2026-03-02']),
    ],
    [
      'a day of market',
      [{ ...PLA, table: 'market', day: '2026-03-02' }],
      [{ experience: 'pla', table: 'market', days: 1 }],
      without(['pla market 0 2026-03-02']),
    ],
    [
      'once a day that is named twice, for its advertiser and for every advertiser',
      [DELETION, { ...DELETION, advertiserId: '' }],
      [{ experience: 'pla', table: 'delivery', days: 1 }],
      without(['pla delivery 10 2026-03-03'], { ...EXPECTED.latestDelivery, pla: '2026-03-02' }),
    ],
    [
      'days of several tables and experiences, until an experience no longer has facts',
      [
        { experience: 'carousel', table: 'delivery', advertiserId: 11, day: '2026-03-02' },
        { ...PLA, table: 'conversions', day: '2026-03-03' },
        { ...PLA, table: 'activity', day: '2026-03-02' },
      ],
      [
        { experience: 'pla', table: 'conversions', days: 1 },
        { experience: 'pla', table: 'activity', days: 1 },
        { experience: 'carousel', table: 'delivery', days: 1 },
      ],
      without(['carousel delivery 11 2026-03-02', 'pla conversions 10 2026-03-03', 'pla activity 10 2026-03-02'], {
        pla: '2026-03-03',
      }),
    ],
  ])('empties %s', async (_what, deletions, emptied, expected) => {
    const table = await loadedTable();
    const changes = emptied.map((ofTable) => ({ ...ofTable, days: { added: 0, replaced: 0, emptied: ofTable.days } }));
    expect(await loadRows({ deletions }, table)).toMatchObject({ outcome: 'loaded', warnings: [], facts: [], changes });
    expect(await readStoredNetwork(table)).toEqual(expected);
  });

  test.each(['csv', 'parquet'])('may have the format %s', async (format) => {
    const table = await loadedTable();
    const rows = { deletions: [DELETION, { ...PLA, table: 'market', day: '2026-03-02' }] };
    using folder = format === 'parquet' ? await parquetFolderOf(rows) : folderOf(rows, format);
    const report = await loadFolder({ userIdKey, folder: folder.path, table, timeZone: 'UTC' });
    expect(report.changes.map(({ days }) => days.emptied)).toEqual([1, 1]);
    const days = ['pla delivery 10 2026-03-03', 'pla market 0 2026-03-02'];
    expect(await readStoredNetwork(table)).toEqual(without(days, { ...EXPECTED.latestDelivery, pla: '2026-03-02' }));
  });

  test('empties its days in the same load that writes other days and listings', async () => {
    const table = await loadedTable();
    const facts = { 'facts/pla/delivery': [{ daily_date: '2026-03-04', hour: 1, ad_group_id: 1100, impressions: 1 }] };
    await loadRows({ deletions: [DELETION], ...facts, contacts: [] }, table);
    const { 'contacts 1': _one, 'contacts 2': _two, ...listings } = EXPECTED.listings;
    const left = without(['pla delivery 10 2026-03-03'], { ...EXPECTED.latestDelivery, pla: '2026-03-04' });
    const added = { 'pla delivery 11 2026-03-04': [{ hour: 1, ad_group_id: 1100, impressions: 1 }] };
    expect(await readStoredNetwork(table)).toEqual({ ...left, listings, facts: { ...left.facts, ...added } });
  });

  test('removes the rollup of a month that it empties, and the month is rolled up again as soon as it has facts', async () => {
    const table = await loadedTable();
    const readRollupMonths = async () => {
      const source = openSegmentSource(table, await readCommit(table));
      const heads = await source.factHeads([PLATFORM_ID, 11]);
      return [...heads.values()].map(({ advertiserId, rollups = new Map() }) => [
        advertiserId,
        [...rollups].map(([experience, entries]) => [experience, [...entries.keys()]]),
      ]);
    };
    const market = ['2026-03-02', '2026-03-03'].map((day) => ({ ...PLA, table: 'market', day }));
    await loadRows(
      { deletions: [...market, { ...DELETION, experience: 'carousel', advertiserId: 11, day: '2026-03-02' }] },
      table,
    );
    expect(await readRollupMonths()).toEqual([
      [PLATFORM_ID, []],
      [11, [['pla', ['2026-03']]]],
    ]);
    await loadRows(FACTS, table);
    expect(await readRollupMonths()).toEqual([
      [PLATFORM_ID, []], // market is not rolled up
      [
        11,
        [
          ['pla', ['2026-03']],
          ['carousel', ['2026-03']],
        ],
      ],
    ]);
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('empties days of a delisted advertiser, also by a row for every advertiser', async () => {
    const table = await loadedTable();
    const { advertisers = [], campaigns = [], ad_groups: adGroups = [], products = [] } = NETWORK;
    const listings = {
      advertisers: advertisers.filter((advertiser) => advertiser.id !== 11),
      campaigns: campaigns.filter((campaign) => campaign.id !== 110),
      ad_groups: adGroups.filter((adGroup) => adGroup.id !== 1100),
      products: products.filter((product) => product.advertiserId !== 11),
      freshness: [],
    };
    await loadRows(listings, table);
    const deletions = [
      { ...DELETION, advertiserId: 11, day: '2026-03-02' },
      { ...DELETION, experience: 'carousel', advertiserId: '', day: '2026-03-02' },
    ];
    expect(await loadRows({ ...listings, deletions }, table)).toMatchObject({ outcome: 'loaded' });
    const { facts, latestDelivery } = await readStoredNetwork(table);
    expect(facts).toEqual(without(['pla delivery 11 2026-03-02', 'carousel delivery 11 2026-03-02']).facts);
    expect(latestDelivery).toEqual({ pla: '2026-03-03' });
    expect(await loadRows({ ...listings, deletions }, table)).toMatchObject({ outcome: 'unchanged', problems: [] });
  });

  test('changes nothing when loaded again, and warns of the days without rows', async () => {
    const table = await loadedTable();
    const deletions = [{ ...DELETION, day: '2026-04-01' }, DELETION, { ...PLA, table: 'market', day: '2026-03-09' }];
    const first = await loadRows({ deletions }, table);
    expect(first.warnings).toEqual([
      'deletions.ndjson:1: day 2026-04-01 has no delivery rows of advertiser 10 in pla; 2 of 3 rows empty nothing',
    ]);
    const { commit } = await readCommit(table);
    expect(await loadRows({ deletions }, table)).toMatchObject({
      outcome: 'unchanged',
      problems: [],
      warnings: [
        'deletions.ndjson:1: day 2026-04-01 has no delivery rows of advertiser 10 in pla; 3 of 3 rows empty nothing',
      ],
      changes: [],
    });
    expect((await readCommit(table)).commit).toBe(commit);
  });

  test('empties nothing if it has no rows, with a warning', async () => {
    const table = await loadedTable();
    expect(await loadRows({ deletions: [] }, table)).toMatchObject({
      outcome: 'unchanged',
      warnings: ['deletions.ndjson: no rows, so no day is emptied'],
    });
  });

  test.each<[string, FolderRows, string[]]>([
    [
      'whose cells are wrong',
      {
        deletions: [
          { experience: 'PLA', table: 'clicks', advertiserId: 0, day: '2026-02-29' },
          { advertiserId: '', day: '' },
          { ...DELETION, until: '2026-03-09' },
        ],
      },
      [
        'deletions.ndjson:1: experience must be one of pla, toa, carousel, not "PLA"',
        'deletions.ndjson:1: table must be one of delivery, conversions, activity, market, not "clicks"',
        'deletions.ndjson:1: advertiserId must be an integer ≥ 1, not 0',
        'deletions.ndjson:1: day must be a date YYYY-MM-DD, not "2026-02-29"',
        'deletions.ndjson:2: experience is required',
        'deletions.ndjson:2: table is required',
        'deletions.ndjson:2: day is required',
        'deletions.ndjson:3: until is not a column of this file; its columns are experience, table, advertiserId, day; columns.json can map it or ignore it, under "deletions"',
      ],
    ],
    [
      'that names an advertiser that is not listed and has no facts, or one for market',
      {
        deletions: [
          { ...DELETION, advertiserId: 77 },
          { ...DELETION, table: 'market' },
        ],
      },
      [
        'deletions.ndjson:1: advertiserId 77 is not among the advertisers and has no facts',
        'deletions.ndjson:2: advertiserId must be absent for market, which belongs to no advertiser',
      ],
    ],
  ])('%s is rejected, and nothing changes', async (_what, rows, problems) => {
    const table = await loadedTable();
    const report = await loadRows(rows, table);
    expect(report.problems.map(formatProblem)).toEqual(problems);
    expect(report).toMatchObject({ outcome: 'rejected', problemCount: problems.length, changes: [] });
    expect(await readStoredNetwork(table)).toEqual(EXPECTED);
  });

  test('leaves the old data if killed at one of many calls, and has the same result when run again', async () => {
    const table = await loadedTable();
    const days = [
      DELETION,
      { ...DELETION, advertiserId: 11, day: '2026-03-02' },
      { ...PLA, table: 'market', day: '2026-03-02' },
    ];
    const killed = await killAtCalls(table, 7, (dying) => loadRows({ deletions: days }, dying));
    expect(killed).toBeGreaterThan(3);
    expect((await loadRows({ deletions: days }, table)).outcome).toMatch(/^(loaded|unchanged)$/);
    const left = without(['pla delivery 10 2026-03-03', 'pla delivery 11 2026-03-02', 'pla market 0 2026-03-02'], {
      ...EXPECTED.latestDelivery,
      pla: '2026-03-02',
    });
    expect(await readStoredNetwork(table)).toEqual(left);
    expect((await loadRows({ deletions: days }, table)).outcome).toBe('unchanged');
  });
});
