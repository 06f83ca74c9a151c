import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { EXPECTED_FILES } from '../../../shared/load/source/find-files.ts';
import { deliveryCsv, ndjson, REQUIRED_KEYS } from '../support/fact-lines.ts';
import { type Files, useRejections } from '../support/use-rejections.ts';

const { load, expectProblems } = useRejections();

describe('reports every invalid value with its file and line, and loads nothing', () => {
  test.each<[string, Files, string[]]>([
    [
      'reports invalid dates, hours, ids, UPCs, counts, amounts and lists in CSV fact rows',
      {
        'facts/pla/delivery.csv': deliveryCsv(
          '2026-02-29,24,1000,1,,,,,1,1,1.5,a',
          '26-3-1,1.5,abc,9,,,123456789012345,,-1,1e0,0.1.2,a||b',
          ',,,,,,,,,,,0',
          '2026-03-01,0,1000,1,,,12x,,9007199254740992,two,-x,',
          '2026-03-01,7,77,1,,,,,1.5,1,9007199255,',
          '1999-12-31,7,1000,1,,,,,1,1,1,',
        ),
      },
      [
        'facts/pla/delivery.csv:2: daily_date must be a date YYYY-MM-DD, not "2026-02-29"',
        'facts/pla/delivery.csv:2: hour must be an integer from 0 to 23, not "24"',
        'facts/pla/delivery.csv:3: daily_date must be a date YYYY-MM-DD, not "26-3-1"',
        'facts/pla/delivery.csv:3: hour must be an integer from 0 to 23, not "1.5"',
        'facts/pla/delivery.csv:3: ad_group_id must be an integer ≥ 1, not "abc"',
        'facts/pla/delivery.csv:3: placement_id 9 is not among the placements',
        'facts/pla/delivery.csv:3: entity_id must be at most 14 digits, not "123456789012345"',
        'facts/pla/delivery.csv:3: impressions must be an integer ≥ 0, not "-1"',
        'facts/pla/delivery.csv:3: cost must be a decimal, not "0.1.2"',
        'facts/pla/delivery.csv:3: users has an empty member',
        'facts/pla/delivery.csv:4: daily_date is required',
        'facts/pla/delivery.csv:4: hour is required',
        'facts/pla/delivery.csv:4: ad_group_id is required',
        'facts/pla/delivery.csv:5: entity_id must be at most 14 digits, not "12x"',
        'facts/pla/delivery.csv:5: impressions must be an integer ≥ 0, not "9007199254740992"',
        'facts/pla/delivery.csv:5: clicks must be an integer ≥ 0, not "two"',
        'facts/pla/delivery.csv:5: cost must be a decimal, not "-x"',
        'facts/pla/delivery.csv:6: ad_group_id 77 is not among the ad_groups',
        'facts/pla/delivery.csv:6: impressions must be an integer ≥ 0, not "1.5"',
        'facts/pla/delivery.csv:6: cost must be at most 9007199254.740991, not "9007199255"',
        'facts/pla/delivery.csv:7: daily_date must be from 2000-01-01 to 2099-12-31, not 1999-12-31',
      ],
    ],
    [
      'reports a line of a gzipped file that is longer than 16 MiB',
      { 'facts/pla/delivery.ndjson.gz': gzipSync(Buffer.alloc(40 << 20, 'x')) },
      [
        'facts/pla/delivery.ndjson.gz:1: is longer than 16 MiB: is a quote not closed, or do lines not end in LF or CRLF?',
      ],
    ],
    [
      'reports JSON values of the wrong type',
      {
        'facts/pla/delivery.ndjson': ndjson(
          { ...REQUIRED_KEYS, hour: true, keyword: 5, users: 'ann', cost: true },
          { ...REQUIRED_KEYS, division_banner: ['x'], users: [1, null], cost: '1,5', impressions: 1.5 },
          { ...REQUIRED_KEYS, keyword: 'x'.repeat(1001), users: [{}], creative_key: '\ud800' },
        ),
      },
      [
        'facts/pla/delivery.ndjson:1: hour must be an integer from 0 to 23, not true',
        'facts/pla/delivery.ndjson:1: keyword must be text of at most 1,000 characters, not 5',
        'facts/pla/delivery.ndjson:1: cost must be a decimal, not true',
        'facts/pla/delivery.ndjson:1: users must be a list, each text of at most 1,000 characters without blanks around it, not "ann"',
        'facts/pla/delivery.ndjson:2: division_banner must be text of at most 1,000 characters, not ["x"]',
        'facts/pla/delivery.ndjson:2: impressions must be an integer ≥ 0, not 1.5',
        'facts/pla/delivery.ndjson:2: cost must be a decimal, not "1,5": write a point before decimals, and no other separators',
        'facts/pla/delivery.ndjson:2: users has an empty member',
        `facts/pla/delivery.ndjson:3: keyword must be text of at most 1,000 characters, not "${'x'.repeat(56)}…`,
        'facts/pla/delivery.ndjson:3: creative_key must be text of at most 1,000 characters without blanks around it, not "\\ud800"',
        'facts/pla/delivery.ndjson:3: users has a member that must be text of at most 1,000 characters without blanks around it, not {}',
      ],
    ],
    [
      'rejects JSON numbers that may have been rounded',
      {
        'accounts.ndjson': ndjson('{"id":9007199254740993,"name":"A"}'),
        'facts/pla/delivery.ndjson': ndjson(
          '{"daily_date":"2026-03-01","hour":0,"ad_group_id":1000,"impressions":1e400,"cost":9007199254.740993,"clicks":9007199254740993}',
        ),
      },
      [
        'accounts.ndjson:1: id must be an integer ≥ 1, not 9007199254740992',
        'facts/pla/delivery.ndjson:1: impressions must be an integer ≥ 0, not Infinity',
        'facts/pla/delivery.ndjson:1: clicks must be an integer ≥ 0, not 9007199254740992',
        'facts/pla/delivery.ndjson:1: cost must be at most 9007199254.740991, not 9007199254.740993',
      ],
    ],
    [
      'rejects ids with surrounding blanks, and years before 0100',
      {
        'creatives.csv': 'key,name,advertiserId\n k1,A,10\n',
        'ad_groups.ndjson': ndjson({ id: 1000, name: 'A', campaignId: 100, status: 'ACTIVE', startDate: '0001-01-01' }),
        'users.ndjson': ndjson(
          { userId: ' ', name: 'N', userType: 'CPG', accountIds: [] },
          { userId: ' U2 ', name: 'N', userType: 'CPG', accountIds: [] },
          { userId: '', name: 'N', userType: 'CPG', accountIds: [] },
        ),
        'facts/pla/delivery.csv': deliveryCsv('2026-03-01,0,1000,,,,,k1 ,1,0,0,ann| bob'),
      },
      [
        'ad_groups.ndjson:1: startDate must have a year from 0100 to 9999, not "0001-01-01"',
        'creatives.csv:2: key must be text of at most 1,000 characters without blanks around it, not " k1"',
        'users.ndjson:1: userId must be text of at most 200 characters without blanks around it, not " "',
        'users.ndjson:2: userId must be text of at most 200 characters without blanks around it, not " U2 "',
        'users.ndjson:3: userId is required',
        'facts/pla/delivery.csv:2: creative_key must be text of at most 1,000 characters without blanks around it, not "k1 "',
        'facts/pla/delivery.csv:2: users has a member that must be text of at most 1,000 characters without blanks around it, not " bob"',
      ],
    ],
    [
      'reports lines that are not JSON objects, and still checks the rows between them',
      {
        'facts/toa/activity.jsonl': ndjson(
          '{"daily_date": "2026-03-01",',
          '',
          '[1]',
          { ...REQUIRED_KEYS, live_seconds: -1, scheduled_seconds: 3600 },
          'null',
          { ...REQUIRED_KEYS, live_seconds: 1, scheduled_seconds: 3600 },
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
      'reports malformed CSV records and wrong cell counts, with line numbers that count quoted line breaks',
      {
        'contacts.csv':
          'id,firstName,lastName,email,contactType,accountIds\n1,"A\nB",C,c@example.org,CPG,1\n3,A,C\n4,A,C,c@example.org,cpg,1|x\n2,"A"x,C,c@example.org,CPG,1\n5,A,C',
      },
      [
        'contacts.csv:2: firstName must have no control characters, not "A\\nB"',
        'contacts.csv:4: has 3 cells, but the header has 6',
        'contacts.csv:5: contactType must be one of CPG, AGENCY, not "cpg"',
        'contacts.csv:5: accountIds has a member that must be an integer ≥ 1, not "x"',
        'contacts.csv:6: is malformed: a quoted cell is not closed, so lines after it may not be checked',
      ],
    ],
    [
      'rejects CSV files without a header or with an unusable one',
      {
        'contacts.csv': '',
        'addresses.csv.gz': gzipSync('\ufeff\r\n\n'),
        'ad_groups.csv.gz': gzipSync(`${'\n'.repeat(2 << 20)}id,name\n`), // 10 MB of gzip took two hours
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
        'placements.csv:1: is malformed: a quoted cell is not closed, so the columns are not known',
        'ad_groups.csv.gz: has no header line: it must name the columns',
        'creatives.csv:1: uses CR line endings; use LF or CRLF',
        'users.csv:1: separates its columns by tabs; they must be separated by commas',
        'facts/pla/market.csv: has no header line: it must name the columns',
      ],
    ],
    [
      'reports unknown, repeated and missing columns',
      {
        'accounts.csv': 'id,name,colour\n1,Acme,red\n2,Beta,blue\n',
        'users.csv': 'userId,name,name\nu,N,N\n',
        'facts/pla/market.csv': 'daily_date,impressions,hours\n2026-03-01,1,2\n',
        'placements.ndjson': ndjson(
          { id: 1, name: 'A', experiences: ['pla'] },
          { id: 2, name: 'B', experiences: ['pla'], price: 1 },
        ),
      },
      [
        'accounts.csv:1: colour is not a column of this file; its columns are id, name, active; columns.json can map it or ignore it, under "accounts"',
        'placements.ndjson:2: price is not a column of this file; its columns are id, name, description, experiences, active, priceFloor; columns.json can map it or ignore it, under "placements"',
        'users.csv:1: names the column name twice',
        'facts/pla/market.csv:1: hours is not a column of this file (did you mean hour?); its columns are daily_date, hour, placement_id, division_banner, keyword, impressions, advertisers; columns.json can map it or ignore it, under "market"',
        'facts/pla/market.csv:1: lacks the required column hour',
      ],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(files, problems);
  });
});

describe('rejects unreadable and unexpected files', () => {
  test.each<[string, Files, string[]]>([
    [
      'rejects a file with an unsupported format',
      { 'users.tsv': '', 'creatives.csv': 'key,name,advertiserId\n' },
      [
        'users.tsv: has an unsupported format; supported are .ndjson, .jsonl, .json, .csv, .parquet, each also with .gz or .zst',
      ],
    ],
    [
      'rejects damaged gzip, Parquet and CSV, and text that is not UTF-8',
      {
        'accounts.ndjson.gz': gzipSync('{"id":1,"name":"Acme"}\n'.repeat(1000)).subarray(0, 60),
        'addresses.csv.gz': Buffer.concat([gzipSync('id\n'), Buffer.alloc(512), gzipSync('1\n')]),
        'placements.csv': Buffer.from('id,name,experiences\n1,A,pla\n2,Caf\xe9,pla\n', 'latin1'),
        'products.parquet': 'PAR1 but no more of it PAR1', // the length of the metadata is " it ", 0x20746920
        'facts/pla/delivery.csv': deliveryCsv('2026-03-01,0,1000,,,"open,,,1,0,0,'),
      },
      [
        'accounts.ndjson.gz: is truncated or damaged gzip: unexpected end of file',
        'addresses.csv.gz: has zeros after its gzip data',
        'placements.csv:3: is not UTF-8, but perhaps Latin-1 or Windows-1252: save the file as CSV UTF-8',
        'products.parquet: is not readable Parquet: parquet metadata length 544500000 exceeds available buffer 19',
        'facts/pla/delivery.csv:2: is malformed: a quoted cell is not closed, so lines after it may not be checked',
      ],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(files, problems);
  });

  test('lists the expected files if the folder has none of them, and warns of other files unless they are hidden', async () => {
    const report = await load({ 'README.md': '', 'notes.txt': '', _READY: '' });
    expect(report.problems.map((problem) => problem.reason)).toEqual([
      `has none of the expected files: ${EXPECTED_FILES.join('; ')}`,
    ]);
    expect(report.warnings).toEqual(['README.md: not a data file, ignored', 'notes.txt: not a data file, ignored']);
  });
});

test('reports only the first problems, in row order, and the total count', async () => {
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
