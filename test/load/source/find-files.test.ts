import { expect, test } from 'vitest';
import { LISTING_FILES } from '../../../shared/load/schema/file-columns.ts';
import { formatProblem, Problems } from '../../../shared/load/schema/problems.ts';
import { classifyFiles } from '../../../shared/load/source/find-files.ts';

/** @returns what a folder of these files holds, by name */
function find(...names: string[]) {
  const problems = new Problems(100);
  const { listings, facts, deletions, ignored } = classifyFiles(
    names.map((name) => ({ name, bytes: 1 })),
    problems,
  );
  return {
    listings: listings.map(({ name, holds, files, isPatch }) => [
      name,
      isPatch ? `patch of ${holds}` : holds,
      ...files.map(({ format }) => format),
    ]),
    facts: facts.map(({ name, experience, table, format }) => [name, experience, table, format]),
    ...(deletions === undefined ? {} : { deletions: deletions.name }),
    ignored,
    problems: problems.list().map(formatProblem),
  };
}

test('listings are read in the order in which they refer to each other, facts in the order of the folder', () => {
  const names = ['users.csv', 'accounts.jsonl.gz', 'facts/toa/market-2.parquet', 'facts/pla/delivery2026.ndjson'];
  expect(find(...names)).toEqual({
    listings: [
      ['accounts.jsonl.gz', 'accounts', 'ndjson'],
      ['users.csv', 'users', 'csv'],
    ],
    facts: [
      ['facts/toa/market-2.parquet', 'toa', 'market', 'parquet'],
      ['facts/pla/delivery2026.ndjson', 'pla', 'delivery', 'ndjson'],
    ],
    ignored: [],
    problems: [],
  });
});

const LISTINGS = `${LISTING_FILES.join(', ')}, deletions, and <listing>.patch`;
const AT_WRONG_PLACE =
  'is in the wrong folder: listing files belong in the folder itself or in <listing>/, fact files in facts/<experience>/';
const OF_NO_FORMAT =
  'has an unsupported format; supported are .ndjson, .jsonl, .json, .csv, .parquet, each also with .gz or .zst';
const NOT_FACTS = 'fact files are delivery*, conversions*, activity*, market*';
const NO_EXPERIENCE = 'is not in a folder of an experience: pla, toa, carousel';

test.each([
  ['Accounts.csv', `is not an expected file (did you mean accounts?); expected are ${LISTINGS}`],
  ['user.patch.csv', `is not an expected file (did you mean users.patch?); expected are ${LISTINGS}`],
  ['deletions.patch.csv', `is not an expected file; expected are ${LISTINGS}`],
  ['users.patch.tsv', OF_NO_FORMAT],
  ['facts/pla/delivery.patch.csv', 'is a patch of facts, which does not exist: a fact file replaces whole days'],
  ['campaign.ndjson', `is not an expected file (did you mean campaigns?); expected are ${LISTINGS}`],
  ['ad_group.csv', `is not an expected file (did you mean ad_groups?); expected are ${LISTINGS}`],
  ['delivery.csv', 'belongs in facts/<experience>/, experience pla, toa, carousel'],
  ['facts/delivery.csv', NO_EXPERIENCE],
  ['facts/plan.pdf', NO_EXPERIENCE],
  ['old/delivery.csv', AT_WRONG_PLACE],
  ['campaign/part-0.csv', AT_WRONG_PLACE.replace(':', ' (did you mean campaigns?):')],
  ['facts/pla/old/delivery.csv', `is not a fact file; ${NOT_FACTS}`],
  ['facts/pla/README.md', `is not a fact file; ${NOT_FACTS}`],
  ['facts/pla/delivery/data.orc', OF_NO_FORMAT],
  [
    'facts/pla/delivery/experience=toa/part-0.csv',
    'is not a fact file; fact files are delivery*, conversions*, activity*, market*',
  ],
  ['facts/PLA/delivery.csv', 'is in facts/PLA/, which is not one of pla, toa, carousel (did you mean pla?)'],
  ['facts/video/delivery.csv', 'is in facts/video/, which is not one of pla, toa, carousel'],
  [
    'facts/pla/deliveries.csv',
    'is not a fact file (did you mean delivery?); fact files are delivery*, conversions*, activity*, market*',
  ],
  ['facts/pla/clicks.csv', 'is not a fact file; fact files are delivery*, conversions*, activity*, market*'],
  ['users.csv.zip', OF_NO_FORMAT],
  ['users.csv.bak', OF_NO_FORMAT],
  ['products.tsv', OF_NO_FORMAT],
  ['products.xls', OF_NO_FORMAT],
  ['products.XLSX', OF_NO_FORMAT],
  ['notes.txt.gz', OF_NO_FORMAT],
])('rejects %s, which is probably meant as data', (name, reason) => {
  expect(find(name)).toEqual({ listings: [], facts: [], ignored: [], problems: [`${name}: ${reason}`] });
});

test.each(['contacts', 'deletions'])('rejects a second file of %s', (name) => {
  expect(find(`${name}.csv`, `${name}.ndjson`).problems).toEqual([
    `${name}.ndjson: is a second file of ${name}; the first is ${name}.csv`,
  ]);
});

test('finds the tables that warehouses write as folders of parts, whatever their names', () => {
  const names = [
    'facts/experience=pla/delivery/daily_date=2026-02-27/hour=9/part-00000-2c5e.c000.snappy.parquet',
    'facts/pla/delivery_0000_part_00',
    'facts/pla/delivery/experience=pla/data_0_0_0.csv.zst',
    'facts/toa/market-2026/2026/02/000000_0',
    'experience=toa/facts/conversions/0001_part_00.gz',
    'campaigns/part-0.json',
    'campaigns/part-1.CSV',
    'users.patch/0000_part_00',
  ];
  expect(find(...names)).toEqual({
    listings: [
      ['campaigns/', 'campaigns', 'ndjson', 'csv'],
      ['users.patch/', 'patch of users', undefined],
    ],
    facts: [
      [names[0], 'pla', 'delivery', 'parquet'],
      [names[1], 'pla', 'delivery', undefined],
      [names[2], 'pla', 'delivery', 'csv'],
      [names[3], 'toa', 'market', undefined],
      [names[4], 'toa', 'conversions', undefined],
    ],
    ignored: [],
    problems: [],
  });
});

test('takes the columns that folders name, decoded', () => {
  const name =
    'facts/experience=pla/delivery/keyword=sea%20salt%2Fvinegar/division_banner=__HIVE_DEFAULT_PARTITION__/a=5%/x.csv';
  const [fact] = classifyFiles([{ name, bytes: 1 }], new Problems(1)).facts;
  expect(fact?.partitions).toEqual([
    ['keyword', 'sea salt/vinegar'],
    ['division_banner', null],
    ['a', '5%'],
  ]);
});

test('rejects a listing file beside a folder of its listing', () => {
  expect(find('users.csv', 'users/part-0.csv').problems).toEqual([
    'users/part-0.csv: is a second file of users; the first is users.csv',
  ]);
});

test('reads a patch in place of the file of its listing', () => {
  const names = ['users.patch.parquet.gz', 'ad_groups.patch.ndjson', 'accounts.csv'];
  expect(find(...names)).toMatchObject({
    listings: [
      ['accounts.csv', 'accounts', 'csv'],
      ['ad_groups.patch.ndjson', 'patch of ad_groups', 'ndjson'],
      ['users.patch.parquet.gz', 'patch of users', 'parquet'],
    ],
    problems: [],
  });
});

test.each([
  ['users.csv', 'users.patch.csv'],
  ['users.patch.csv', 'users.ndjson'],
])('rejects the folder that has both %s and %s', (first, second) => {
  expect(find(first, second).problems).toEqual([
    `${second}: cannot be loaded together with ${first}: users are either replaced as a whole or patched`,
  ]);
});

test('rejects a second patch of a listing', () => {
  expect(find('users.patch.csv', 'users.patch.jsonl').problems).toEqual([
    'users.patch.jsonl: is a second file of users; the first is users.patch.csv',
  ]);
});

test('does not list a deletions file among the listings', () => {
  expect(find('deletions.csv.gz')).toEqual({
    listings: [],
    facts: [],
    deletions: 'deletions.csv.gz',
    ignored: [],
    problems: [],
  });
});

test('ignores other files by name, and hidden files without a warning', () => {
  const notes = ['README.md', 'notes.txt', 'docs/plan.pdf', 'LICENSE'];
  const hidden = [
    '.DS_Store',
    '_READY',
    '.git/HEAD.csv',
    'facts/pla/delivery/_SUCCESS',
    'facts/pla/delivery/.part-0.csv.crc',
  ];
  expect(find(...notes, ...hidden)).toEqual({ listings: [], facts: [], ignored: notes, problems: [] });
});
