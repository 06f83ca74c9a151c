import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadFolder } from '../../shared/load/load-folder.ts';
import type { LoadReport } from '../../shared/load/load-report.ts';
import { formatProblem } from '../../shared/load/schema/problems.ts';
import { useTable } from '../support/use-engine.ts';
import { folderOf, makeFolder } from './folder.ts';
import { NETWORK } from './network-rows.ts';
import { readWorld, type World } from './read-world.ts';

const made = useTable();
let before: World;

beforeAll(async () => {
  using folder = folderOf(NETWORK);
  await loadFolder({ folder: folder.path, table: made.table, timeZone: 'UTC' });
  before = await readWorld(made.table);
});

type Files = Readonly<Record<string, string | Uint8Array>>;

async function load(files: Files, problems = 100): Promise<LoadReport> {
  using folder = makeFolder();
  for (const [name, content] of Object.entries(files)) folder.write(name, content);
  return await loadFolder({ folder: folder.path, table: made.table, timeZone: 'UTC', limits: { problems } });
}

/** The folder is refused for exactly these problems, and nothing of it is loaded. */
async function expectProblems(files: Files, problems: readonly string[]): Promise<void> {
  const report = await load(files);
  expect({ ...report, problems: report.problems.map(formatProblem) }).toEqual({
    outcome: 'rejected',
    problems,
    problemCount: problems.length,
    warnings: [],
    listings: [],
    facts: [],
    emptied: [],
  });
  expect(await readWorld(made.table)).toEqual(before);
}

const DELIVERY =
  'daily_date,hour,ad_group_id,placement_id,division_banner,keyword,entity_id,creative_key,impressions,clicks,cost,users';
const delivery = (...lines: string[]) => `${[DELIVERY, ...lines].join('\n')}\n`;
const CONVERSIONS =
  'daily_date,hour,ad_group_id,halo_transactions,halo_exposed_transactions,halo_revenue,halo_exposed_revenue';
const json = (...rows: unknown[]) =>
  rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
const ROW = { daily_date: '2026-03-01', hour: 0, ad_group_id: 1000 };

describe('every value that is wrong is told with its place, and nothing is loaded', () => {
  test.each<[string, Files, string[]]>([
    [
      'every kind of value of a fact row',
      {
        'facts/pla/delivery.csv': delivery(
          '2026-02-29,24,1000,1,,,,,1,1,1.5,a',
          '26-3-1,1.5,abc,9,,,12345678901234,,-1,1e0,0.1234567,a||b',
          ',,,,,,,,,,,',
          '2026-03-01,0,1000,1,,,12x,,9007199254740992,two,-1,',
          '2026-03-01,7,77,1,,,,,1.5,1,9007199255,',
          '1969-12-31,7,1000,1,,,,,1,1,1,',
        ),
      },
      [
        'facts/pla/delivery.csv:2: daily_date must be a date YYYY-MM-DD, not "2026-02-29"',
        'facts/pla/delivery.csv:2: hour must be an integer from 0 to 23, not "24"',
        'facts/pla/delivery.csv:3: daily_date must be a date YYYY-MM-DD, not "26-3-1"',
        'facts/pla/delivery.csv:3: hour must be an integer from 0 to 23, not "1.5"',
        'facts/pla/delivery.csv:3: ad_group_id must be an integer ≥ 1, not "abc"',
        'facts/pla/delivery.csv:3: placement_id 9 is not among the placements',
        'facts/pla/delivery.csv:3: entity_id must be at most 13 digits, not "12345678901234"',
        'facts/pla/delivery.csv:3: impressions must be an integer ≥ 0, not "-1"',
        'facts/pla/delivery.csv:3: cost must be a decimal ≥ 0 with at most 6 decimals, not "0.1234567"',
        'facts/pla/delivery.csv:3: users has an empty member',
        'facts/pla/delivery.csv:4: daily_date is required',
        'facts/pla/delivery.csv:4: hour is required',
        'facts/pla/delivery.csv:4: ad_group_id is required',
        'facts/pla/delivery.csv:5: entity_id must be at most 13 digits, not "12x"',
        'facts/pla/delivery.csv:5: impressions must be an integer ≥ 0, not "9007199254740992"',
        'facts/pla/delivery.csv:5: clicks must be an integer ≥ 0, not "two"',
        'facts/pla/delivery.csv:5: cost must be a decimal ≥ 0 with at most 6 decimals, not "-1"',
        'facts/pla/delivery.csv:6: ad_group_id 77 is not among the ad_groups',
        'facts/pla/delivery.csv:6: impressions must be an integer ≥ 0, not "1.5"',
        'facts/pla/delivery.csv:6: cost must be at most 9007199254, not "9007199255"',
        'facts/pla/delivery.csv:7: daily_date must be 1970-01-01 or later, not 1969-12-31',
      ],
    ],
    [
      'JSON values of other types',
      {
        'facts/pla/delivery.ndjson': json(
          { ...ROW, hour: true, keyword: 5, users: 'ann', cost: 0.30000000000000004 },
          { ...ROW, division_banner: ['x'], users: [1, null], cost: '1,5', impressions: 1.5 },
          { ...ROW, keyword: 'x'.repeat(1001), users: [{}], creative_key: '\ud800' },
        ),
      },
      [
        'facts/pla/delivery.ndjson:1: hour must be an integer from 0 to 23, not true',
        'facts/pla/delivery.ndjson:1: keyword must be text of at most 1,000 characters, not 5',
        'facts/pla/delivery.ndjson:1: cost must be a decimal ≥ 0 with at most 6 decimals, not 0.30000000000000004',
        'facts/pla/delivery.ndjson:1: users must be a list, each text of at most 1,000 characters without blanks around it, not "ann"',
        'facts/pla/delivery.ndjson:2: division_banner must be text of at most 1,000 characters, not ["x"]',
        'facts/pla/delivery.ndjson:2: impressions must be an integer ≥ 0, not 1.5',
        'facts/pla/delivery.ndjson:2: cost must be a decimal ≥ 0 with at most 6 decimals, not "1,5"',
        'facts/pla/delivery.ndjson:2: users has an empty member',
        `facts/pla/delivery.ndjson:3: keyword must be text of at most 1,000 characters, not "${'x'.repeat(56)}…`,
        'facts/pla/delivery.ndjson:3: creative_key must be text of at most 1,000 characters without blanks around it, not "\\ud800"',
        'facts/pla/delivery.ndjson:3: users has a member that must be text of at most 1,000 characters without blanks around it, not {}',
      ],
    ],
    [
      'numbers that no double is equal to: they were rounded, and taken or quoted so',
      {
        'accounts.ndjson': json('{"id":9007199254740993,"name":"A"}', '{"id":4.0000000000000001,"name":"A"}'),
        'facts/pla/delivery.ndjson': json(
          '{"daily_date":"2026-03-01","hour":0,"ad_group_id":1000,"impressions":4.0000000000000001,"cost":0.12345600000000000001}',
          '{"daily_date":"2026-03-01","hour":0,"ad_group_id":1000,"impressions":1e400,"cost":1e-400,"clicks":9007199254740993}',
          '{"daily_date":"2026-03-01","hour":0,"ad_group_id":1000,"users":["ann",0.12345600000000000001]}',
          '{"daily_date":"2026-03-01","hour":24,"ad_group_id":1000,"cost":0.10000000000000000000,"impressions":1e0,"users":[12345678901234567890]}',
        ),
      },
      [
        'accounts.ndjson:1: id must be an integer ≥ 1, not 9007199254740993',
        'accounts.ndjson:2: id must be an integer ≥ 1, not 4.0000000000000001',
        'facts/pla/delivery.ndjson:1: impressions must be an integer ≥ 0, not 4.0000000000000001',
        'facts/pla/delivery.ndjson:1: cost must be a decimal ≥ 0 with at most 6 decimals, not 0.12345600000000000001',
        'facts/pla/delivery.ndjson:2: impressions must be an integer ≥ 0, not 1e400',
        'facts/pla/delivery.ndjson:2: clicks must be an integer ≥ 0, not 9007199254740993',
        'facts/pla/delivery.ndjson:2: cost must be a decimal ≥ 0 with at most 6 decimals, not 1e-400',
        'facts/pla/delivery.ndjson:3: users has a member that must be text of at most 1,000 characters without blanks around it, not 0.12345600000000000001',
        'facts/pla/delivery.ndjson:4: hour must be an integer from 0 to 23, not 24',
      ],
    ],
    [
      'ids that look like another’s, and dates of the first century',
      {
        'creatives.csv': 'key,name,advertiserId\n k1,A,10\n',
        'ad_groups.ndjson': json({ id: 1000, name: 'A', campaignId: 100, status: 'ACTIVE', startDate: '0001-01-01' }),
        'users.ndjson': json(
          { userId: ' ', name: 'N', userType: 'CPG', accountIds: [] },
          { userId: ' U2 ', name: 'N', userType: 'CPG', accountIds: [] },
          { userId: '', name: 'N', userType: 'CPG', accountIds: [] },
        ),
        'facts/pla/delivery.csv': delivery('2026-03-01,0,1000,,,,,k1 ,1,0,0,ann| bob'),
      },
      [
        'ad_groups.ndjson:1: startDate must be of a year from 0100 to 9999, not "0001-01-01"',
        'creatives.csv:2: key must be text of at most 1,000 characters without blanks around it, not " k1"',
        'users.ndjson:1: userId must be text of at most 200 characters without blanks around it, not " "',
        'users.ndjson:2: userId must be text of at most 200 characters without blanks around it, not " U2 "',
        'users.ndjson:3: userId is required',
        'facts/pla/delivery.csv:2: creative_key must be text of at most 1,000 characters without blanks around it, not "k1 "',
        'facts/pla/delivery.csv:2: users has a member that must be text of at most 1,000 characters without blanks around it, not " bob"',
      ],
    ],
    [
      'lines that are no rows, and the rows among them',
      {
        'facts/toa/activity.jsonl': json(
          '{"daily_date": "2026-03-01",',
          '',
          '[1]',
          { ...ROW, live_seconds: -1, scheduled_seconds: 3600 },
          'null',
          { ...ROW, live_seconds: 1, scheduled_seconds: 3600 },
        ),
      },
      [
        `facts/toa/activity.jsonl:1: is not JSON: Expected double-quoted property name in JSON at position 28`,
        'facts/toa/activity.jsonl:3: must be a JSON object, not [1]',
        'facts/toa/activity.jsonl:4: live_seconds must be an integer ≥ 0, not -1',
        'facts/toa/activity.jsonl:5: must be a JSON object, not null',
      ],
    ],
    [
      'CSV records that are malformed or of another length, lines counted through quoted line breaks',
      {
        'contacts.csv':
          'id,firstName,lastName,email,contactType,accountIds\n1,"A\nB",C,c@example.org,CPG,1\n3,A,C\n4,A,C,c@example.org,cpg,1|x\n2,"A"x,C,c@example.org,CPG,1\n5,A,C',
      },
      [
        'contacts.csv:4: has 3 cells where the header has 6',
        'contacts.csv:5: contactType must be one of CPG, AGENCY, not "cpg"',
        'contacts.csv:5: accountIds has a member that must be an integer ≥ 1, not "x"',
        'contacts.csv:6: is malformed: quoted field unterminated, so lines after it may not be checked',
      ],
    ],
    [
      'CSV without a header, which would empty its listing or lack its days, and headers that are none',
      {
        'contacts.csv': '',
        'addresses.csv.gz': gzipSync('\ufeff\r\n\n'),
        'accounts.csv': 'id;name;active\n1;Acme;true\n',
        'creatives.csv': 'key,name,advertiserId\rk1,A,10\r',
        'users.csv': 'userId\tname\n',
        'placements.csv': '"id"x,name\n1,A\n',
        'facts/pla/market.csv': '',
      },
      [
        'accounts.csv:1: separates its columns by semicolons; they must be separated by commas',
        'contacts.csv: has no header line: it must name the columns',
        'addresses.csv.gz: has no header line: it must name the columns',
        'placements.csv:1: is malformed: quoted field unterminated, so the columns are not known',
        'creatives.csv:1: has line ends of CR alone; they must be LF or CRLF',
        'users.csv:1: separates its columns by tabs; they must be separated by commas',
        'facts/pla/market.csv: has no header line: it must name the columns',
      ],
    ],
    [
      'columns that are not known, repeated or missing',
      {
        'accounts.csv': 'id,name,colour\n1,Acme,red\n2,Beta,blue\n',
        'users.csv': 'userId,name,name\nu,N,N\n',
        'facts/pla/market.csv': 'daily_date,impressions,hours\n2026-03-01,1,2\n',
        'placements.ndjson': json(
          { id: 1, name: 'A', experiences: ['pla'] },
          { id: 2, name: 'B', experiences: ['pla'], price: 1 },
        ),
      },
      [
        'accounts.csv:1: colour is not a column of this file; its columns are id, name, active',
        'placements.ndjson:2: price is not a column of this file; its columns are id, name, description, experiences, active, priceFloor',
        'users.csv:1: names the column name twice',
        'facts/pla/market.csv:1: hours is not a column of this file; its columns are daily_date, hour, placement_id, division_banner, keyword, impressions',
        'facts/pla/market.csv:1: lacks the required columns hour',
      ],
    ],
    [
      'rules between the values of a row',
      {
        'campaigns.ndjson': json(
          {
            id: 100,
            name: 'A',
            advertiserId: 10,
            status: 'ACTIVE',
            startDate: '2026-03-02',
            endDate: '2026-03-01',
            budget: 1,
          },
          { id: 110, name: 'A', advertiserId: 10, status: 'RUNNING', startDate: '2026-03-02', budgetType: 'DAILY' },
          // once told to give the budget, which was there
          {
            id: 120,
            name: 'A',
            advertiserId: 10,
            status: 'ACTIVE',
            startDate: '2026-03-02',
            budget: 1.1234567,
            budgetType: 'DAILY',
          },
          { id: 130, name: 'A', advertiserId: 10, status: 'ACTIVE', startDate: '2026-03-02', budget: 'x' },
        ),
        'facts/toa/conversions.csv': `${CONVERSIONS}\n2026-03-01,0,1000,2,1,5,4.999999\n2026-03-01,0,1000,2,2,5,\n`,
        'facts/toa/delivery.csv': delivery('2026-03-01,0,1000,,,milk,,,1,0,0,'),
      },
      [
        'campaigns.ndjson:1: budgetType is required with budget',
        'campaigns.ndjson:1: endDate must not be before startDate, 2026-03-02',
        'campaigns.ndjson:2: status must be one of DRAFT, SCHEDULED, ACTIVE, PAUSED, ENDED, not "RUNNING"',
        'campaigns.ndjson:2: budget is required with budgetType',
        'campaigns.ndjson:3: budget must be a decimal ≥ 0 with at most 6 decimals, not 1.1234567',
        'campaigns.ndjson:4: budget must be a decimal ≥ 0 with at most 6 decimals, not "x"',
        'campaigns.ndjson:4: budgetType is required with budget',
        'facts/toa/conversions.csv:2: halo_exposed_transactions must be at least halo_transactions',
        'facts/toa/conversions.csv:2: halo_exposed_revenue must be at least halo_revenue',
        'facts/toa/conversions.csv:3: halo_exposed_revenue must be at least halo_revenue',
        'facts/toa/delivery.csv:2: keyword has values in pla only',
      ],
    ],
    [
      'ids that are not unique, and UPCs of one advertiser',
      {
        'products.csv': 'id,advertiserId,upc,name\n1,10,7,A\n2,10,007,B\n1,11,7,C\n20,10,8,D\n',
        'users.ndjson': json(
          { userId: 'u', name: 'U', userType: 'CPG', accountIds: [] },
          { userId: 'u', name: 'U', userType: 'CPG', accountIds: [] },
        ),
      },
      [
        'products.csv:3: upc 0000000000007 is already in line 2',
        'products.csv:4: id 1 is already in line 2',
        'users.ndjson:2: userId u is already in line 1',
      ],
    ],
    [
      'references to what is neither in the folder nor loaded',
      {
        'advertisers.ndjson': json(
          { id: 10, name: 'Ten', accountId: 1, accountIds: [2] },
          { id: 11, name: 'Eleven', accountId: 3 },
          { id: 12, name: 'Twelve', accountId: 1, accountIds: [1, 4] },
        ),
        'ad_groups.ndjson': json(
          { id: 1000, name: 'A', campaignId: 100, status: 'ACTIVE', productIds: [20, 22, 99] },
          { id: 1001, name: 'B', campaignId: 999, status: 'ACTIVE' },
        ),
        'creatives.csv': 'key,name,advertiserId\nk,K,13\n',
      },
      [
        'advertisers.ndjson:1: accountIds must contain accountId, 1',
        'advertisers.ndjson:2: accountId 3 is not among the accounts',
        'advertisers.ndjson:3: accountIds 4 is not among the accounts',
        'ad_groups.ndjson:1: productIds 99 is not among the products',
        'ad_groups.ndjson:1: productIds 22 is a product of advertiser 11, not of the campaign’s, 10',
        'ad_groups.ndjson:2: campaignId 999 is not among the campaigns',
        'creatives.csv:2: advertiserId 13 is not among the advertisers',
      ],
    ],
    [
      'a file that lacks what was loaded before and refers to it',
      { 'accounts.csv': 'id,name\n1,Acme\n' },
      [
        'accounts.csv: id 2 is missing, which is accountId of advertisers 11; load advertisers with it',
        'accounts.csv: id 2 is missing, which is accountIds of advertisers 11; load advertisers with it',
        'accounts.csv: id 2 is missing, which is accountIds of contacts 5; load contacts with it',
        'accounts.csv: id 2 is missing, which is accountIds of users u-agency; load users with it',
      ],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(files, problems);
  });
});

describe('files that are not readable, or not at their place', () => {
  test.each<[string, Files, string[]]>([
    [
      'a name that is none',
      { 'users.json': '', 'creatives.csv': 'key,name,advertiserId\n' },
      ['users.json: is not in one of the formats .ndjson, .jsonl, .csv, .parquet, or these with .gz'],
    ],
    [
      'bytes',
      {
        'accounts.ndjson.gz': gzipSync('{"id":1,"name":"Acme"}\n'.repeat(1000)).subarray(0, 60),
        'contacts.csv.gz': 'id\n',
        'placements.csv': Buffer.from('id,name,experiences\n1,A,pla\n2,Caf\xe9,pla\n', 'latin1'),
        'products.parquet': 'PAR1 but no more of it PAR1',
        'facts/pla/delivery.csv': delivery('2026-03-01,0,1000,,,"open,,,1,0,0,'),
      },
      [
        'accounts.ndjson.gz: is not whole gzip: unexpected end of file',
        'contacts.csv.gz: is not whole gzip: incorrect header check',
        'placements.csv:3: is not UTF-8',
        'products.parquet: is not readable Parquet: parquet metadata length 544500000 exceeds available buffer 19',
        'facts/pla/delivery.csv:2: is malformed: quoted field unterminated, so lines after it may not be checked',
      ],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(files, problems);
  });

  test('a folder without any of the files says what it looked for; what is no data is named, what is hidden is not', async () => {
    const report = await load({ 'README.md': '', 'notes.txt': '', _READY: '' });
    expect(report.problems.map((it) => it.reason)).toEqual([
      'has none of the expected files: accounts, advertisers, contacts, addresses, placements, products, campaigns, ad_groups, creatives, insertion_orders, users, freshness, deletions, each as <name>.ndjson, .jsonl, .csv or .parquet, also with .gz; facts/<experience>/<table>*.<ndjson|jsonl|csv|parquet>[.gz], experience pla, toa, carousel, table delivery, conversions, activity, market',
    ]);
    expect(report.warnings).toEqual(['README.md: not a data file, ignored', 'notes.txt: not a data file, ignored']);
  });
});

test('only the first problems are told, in the order of the rows, and how many there are', async () => {
  const lines = Array.from({ length: 5000 }, (_, row) => (row % 2 === 0 ? `x${row},y,1,1,1` : `2026-03-01,0,1000,1,1`));
  const files = {
    'facts/pla/activity.csv': `daily_date,hour,ad_group_id,live_seconds,scheduled_seconds\n${lines.join('\n')}`,
  };
  const report = await load(files, 4);
  expect(report.problems.map(formatProblem)).toEqual([
    'facts/pla/activity.csv:2: daily_date must be a date YYYY-MM-DD, not "x0"',
    'facts/pla/activity.csv:2: hour must be an integer from 0 to 23, not "y"',
    'facts/pla/activity.csv:2: ad_group_id 1 is not among the ad_groups',
    'facts/pla/activity.csv:4: daily_date must be a date YYYY-MM-DD, not "x2"',
  ]);
  expect(report.problemCount).toBe(3 * 2500);
});
