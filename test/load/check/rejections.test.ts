import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { countUnlisted, formatProblem } from '../../../shared/load/schema/problems.ts';
import { EXPECTED_FILES } from '../../../shared/load/source/find-files.ts';
import { deliveryCsv, ndjson } from '../support/folder.ts';
import { type Files, useRejections } from '../support/use-rejections.ts';

/* Folders whose files are text are in reports.txt. */
const { load, expectProblems } = useRejections();

const FILE = 'facts/pla/delivery.csv';
const HEADER = 'daily_date,hour,ad_group_id';
const ROW = '2026-03-01,0,1000';
const CSV = deliveryCsv(`${ROW},,,,,,1,0,0.25,u1`);
const OPEN_QUOTE = 'is malformed: a quoted cell is not closed, so lines after it may not be checked';

test.each<[string, Files, string[]]>([
  [
    'a line of a gzipped file that is longer than 16 MiB',
    { 'facts/pla/delivery.ndjson.gz': gzipSync(Buffer.alloc(40 << 20, 'x')) },
    [
      'facts/pla/delivery.ndjson.gz:1: is longer than 16 MiB: is a quote not closed, or do lines not end in LF or CRLF?',
    ],
  ],
  [
    'CSV files without a header or with an unusable one',
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
      'contacts.csv: is empty: a listing without rows has a header, or in NDJSON an empty line',
      'addresses.csv.gz: has no header line: it must name the columns',
      'placements.csv:1: is malformed: a quoted cell is not closed, so the columns are not known',
      'ad_groups.csv.gz: has no header line: it must name the columns',
      'creatives.csv:1: uses CR line endings; use LF or CRLF',
      'users.csv:1: separates its columns by tabs; they must be separated by commas',
      'facts/pla/market.csv: has no header line: it must name the columns',
    ],
  ],
  [
    'files that are not what their name says',
    {
      'users.csv': Buffer.from('userId,name\nu,N\n', 'utf16le'),
      'contacts.csv': Buffer.from('PK\x03\x04 and more'),
      'campaigns.csv': Buffer.from('PAR1 and more PAR1'),
      'accounts.csv.gz': gzipSync(gzipSync('id,name\n1,Acme\n')),
    },
    [
      'accounts.csv.gz: is gzip within gzip: compress it once',
      'contacts.csv: is a zip archive or a workbook: unpack it, or save it as CSV UTF-8',
      'campaigns.csv: is Parquet: name it .parquet',
      'users.csv: is UTF-16: save it as CSV UTF-8',
    ],
  ],
  [
    'damaged gzip, Parquet and CSV, and text that is not UTF-8',
    {
      'accounts.ndjson.gz': gzipSync('{"id":1,"name":"Acme"}\n'.repeat(1000)).subarray(0, 60),
      'addresses.csv.gz': Buffer.concat([gzipSync('id\n'), Buffer.alloc(512), gzipSync('1\n')]),
      'placements.csv': Buffer.from('id,name,experiences\n1,A,pla\n2,Caf\xe9,pla\n', 'latin1'),
      'products.parquet': 'PAR1 but no more of it PAR1', // the length of the metadata is " it ", 0x20746920
      'users.csv': Buffer.from('\ufeffuserId\nu\n', 'utf16le'),
      [FILE]: deliveryCsv(`${ROW},,,"open,,,1,0,0,`),
    },
    [
      'accounts.ndjson.gz: is truncated or damaged gzip: unexpected end of file',
      'addresses.csv.gz: has zeros after its gzip data',
      'placements.csv:3: is not UTF-8, but perhaps Latin-1 or Windows-1252: save the file as CSV UTF-8',
      'products.parquet: is not readable Parquet: parquet metadata length 544500000 exceeds available buffer 19',
      'users.csv: is UTF-16: save it as CSV UTF-8',
      `${FILE}:2: ${OPEN_QUOTE}`,
    ],
  ],
  [
    'a file beside its compressed form',
    { [FILE]: CSV, [`${FILE}.gz`]: gzipSync(CSV) },
    [
      `${FILE}.gz: repeats another file: 1 of 1 rows have the keys of rows in ${FILE} (impressions 1, cost 0.25): they would be counted twice; remove one of the files or, if both are meant, write {"filesAddUp": true} into columns.json`,
    ],
  ],
])('rejects %s', async (_, files, problems) => {
  await expectProblems(files, problems);
});

test('lists the expected files if the folder has none of them, and warns of other files unless they are hidden', async () => {
  const report = await load({ 'README.md': '', 'notes.txt': '', _READY: '' });
  expect(report.problems.map((problem) => problem.reason)).toEqual([
    `has none of the expected files: ${EXPECTED_FILES.join('; ')}`,
  ]);
  expect(report.warnings).toEqual(['README.md: not a data file, ignored', 'notes.txt: not a data file, ignored']);
});

const repeat = (count: number, line: string) => Array<string>(count).fill(line).join('\n');
const ACTIVITY = `${HEADER},live_seconds,scheduled_seconds`;
const UNKNOWN = 'ad_group_id 7 is not among the ad_groups';
const REPEATED = 'day 2026-03-03 of pla delivery without advertiserId is already in line 2';

test.each<[string, Files, number, number, string[]]>([
  [
    'only the first problems, in row order, and the total count',
    { 'facts/pla/activity.csv': `${ACTIVITY}\n${repeat(2_500, `x,y,1,1,1\n${ROW},1,1`)}` },
    4,
    3 * 2_500,
    [
      'facts/pla/activity.csv:2: daily_date must be a date YYYY-MM-DD, not "x"',
      'facts/pla/activity.csv:2: hour must be an integer from 0 to 23, not "y"',
      'facts/pla/activity.csv:2: ad_group_id 1 is not among the ad_groups',
      'facts/pla/activity.csv:4: daily_date must be a date YYYY-MM-DD, not "x"',
    ],
  ],
  // the rows of the large file are checked in several sections; those of the small one are counted apart
  [
    'a problem of many rows for three rows of each file',
    {
      'facts/pla/activity.csv': `${ACTIVITY}\n${repeat(100_000, '2026-03-01,0,7,1,1')}`,
      'facts/pla/activity-2.csv': `${ACTIVITY}\n${repeat(2, '2026-03-01,0,7,1,1')}`,
    },
    100,
    100_002,
    [
      `facts/pla/activity-2.csv:2: ${UNKNOWN}`,
      `facts/pla/activity-2.csv:3: ${UNKNOWN}`,
      `facts/pla/activity.csv:2: ${UNKNOWN}`,
      `facts/pla/activity.csv:3: ${UNKNOWN}`,
      `facts/pla/activity.csv:4: ${UNKNOWN} (and 99,997 more rows)`,
    ],
  ],
  [
    'another problem after one of many rows',
    { 'facts/pla/activity.csv': `${ACTIVITY}\n${repeat(1_000, '2026-03-01,0,7,1,1')}\n2026-03-01,24,1000,1,1` },
    4,
    1_001,
    [
      `facts/pla/activity.csv:2: ${UNKNOWN}`,
      `facts/pla/activity.csv:3: ${UNKNOWN}`,
      `facts/pla/activity.csv:4: ${UNKNOWN} (and 997 more rows)`,
      'facts/pla/activity.csv:1002: hour must be an integer from 0 to 23, not "24"',
    ],
  ],
  // 58 KB of gzip with 1,000,000 rows took 30 s and 3.7 GB, because their line numbers were copied for every advertiser and day
  [
    'three repeated rows of a deletions file, also for a day that the folder loads',
    {
      'deletions.csv': `experience,table,advertiserId,day\n${repeat(20_000, 'pla,delivery,,2026-03-03')}`,
      [FILE]: `${HEADER},impressions\n2026-03-03,1,1000,1\n`,
    },
    100,
    19_999,
    [
      `deletions.csv:3: ${REPEATED}`,
      `deletions.csv:4: ${REPEATED}`,
      `deletions.csv:5: ${REPEATED} (and 19,996 more rows)`,
    ],
  ],
])('reports %s', async (_, files, limit, count, problems) => {
  const report = await load(files, { limits: { problems: limit } });
  expect(report.problems.map(formatProblem)).toEqual(problems);
  expect(report.problemCount).toBe(count);
  if (limit === 100) expect(countUnlisted(report.problems, count)).toBe(0);
});

/** A header of 10,000 names took 3.3 s, and one of 0.5 MB did not end. */
test('looks at each name of a header of 0.5 MB once', async () => {
  const names = Array.from({ length: 60_000 }, (_, i) => `column${i}`);
  const report = await load({ [FILE]: `${HEADER},${names}\n${ROW}\n` });
  expect(report.outcome).toBe('rejected');
  expect(Number(report.problemCount)).toBeGreaterThanOrEqual(names.length);
});

// This test changes the network, so it is the last.
test('a removed product that an ad group shows does not get in the way of patches of other ad groups', async () => {
  expect(await load({ 'products.patch.csv': 'id,deleted\n20,true\n' })).toMatchObject({
    outcome: 'loaded',
    warnings: [],
  });
  const other = { id: 1100, name: 'Renamed', campaignId: 110, status: 'ACTIVE' };
  const product = { id: 22, advertiserId: 11, upc: '11', name: 'Rye' };
  const files = { 'ad_groups.patch.ndjson': ndjson(other), 'products.patch.ndjson': ndjson(product) };
  expect(await load(files)).toMatchObject({ outcome: 'loaded', warnings: [] });
  const same = { id: 1001, name: 'Narrow', campaignId: 100, status: 'ACTIVE', productIds: [20] };
  expect((await load({ 'ad_groups.patch.ndjson': ndjson(same) })).problems.map(formatProblem)).toEqual([
    'ad_groups.patch.ndjson:1: productIds 20 is not among the products: a patch deleted it, and npx endcap audit says when',
  ]);
});
