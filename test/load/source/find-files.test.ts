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
    listings: listings.map(({ name, listing, format, gzipped, isPatch }) => [
      name,
      isPatch ? `patch of ${listing}` : listing,
      format,
      gzipped,
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
      ['accounts.jsonl.gz', 'accounts', 'ndjson', true],
      ['users.csv', 'users', 'csv', false],
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
  'is in the wrong folder: listing files belong in the folder itself, fact files in facts/<experience>/';
const OF_NO_FORMAT = 'has an unsupported format; supported are .ndjson, .jsonl, .csv, .parquet, each also with .gz';

test.each([
  ['Accounts.csv', `is not an expected file (did you mean accounts?); expected are ${LISTINGS}`],
  ['user.patch.csv', `is not an expected file (did you mean users.patch?); expected are ${LISTINGS}`],
  ['deletions.patch.csv', `is not an expected file; expected are ${LISTINGS}`],
  ['users.patch.json', OF_NO_FORMAT],
  ['facts/pla/delivery.patch.csv', 'is a patch of facts, which does not exist: a fact file replaces whole days'],
  ['campaign.ndjson', `is not an expected file (did you mean campaigns?); expected are ${LISTINGS}`],
  ['ad_group.csv', `is not an expected file (did you mean ad_groups?); expected are ${LISTINGS}`],
  ['delivery.csv', 'belongs in facts/<experience>/, experience pla, toa, carousel'],
  ['facts/delivery.csv', AT_WRONG_PLACE],
  ['facts/pla/old/delivery.csv', AT_WRONG_PLACE],
  ['facts/PLA/delivery.csv', 'is in facts/PLA/, which is not one of pla, toa, carousel (did you mean pla?)'],
  ['facts/video/delivery.csv', 'is in facts/video/, which is not one of pla, toa, carousel'],
  [
    'facts/pla/deliveries.csv',
    'is not a fact file (did you mean delivery?); fact files are delivery*, conversions*, activity*, market*',
  ],
  ['facts/pla/clicks.csv', 'is not a fact file; fact files are delivery*, conversions*, activity*, market*'],
  ['users.json', OF_NO_FORMAT],
  ['users.CSV', OF_NO_FORMAT],
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

/** `gzip -k` leaves both: the rows of the day were added, and the figures doubled. */
test('rejects a fact file beside its compressed copy, and accepts files of other names or formats', () => {
  const { problems, facts } = find(
    'facts/pla/delivery-1.csv',
    'facts/pla/delivery-1.csv.gz',
    'facts/pla/delivery-2.csv.gz',
  );
  expect(problems).toEqual([
    'facts/pla/delivery-1.csv.gz: has the name of facts/pla/delivery-1.csv: one of them is probably a compressed copy of the other',
  ]);
  expect(facts.flat().join()).toMatch(/delivery-1\.csv.*delivery-2\.csv\.gz/);
  expect(
    find('facts/pla/delivery-1.csv', 'facts/toa/delivery-1.csv.gz', 'facts/pla/delivery-1.ndjson').problems,
  ).toEqual([]);
});

test('reads a patch in place of the file of its listing', () => {
  const names = ['users.patch.parquet.gz', 'ad_groups.patch.ndjson', 'accounts.csv'];
  expect(find(...names)).toMatchObject({
    listings: [
      ['accounts.csv', 'accounts', 'csv', false],
      ['ad_groups.patch.ndjson', 'patch of ad_groups', 'ndjson', false],
      ['users.patch.parquet.gz', 'patch of users', 'parquet', true],
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
  const notes = ['README.md', 'notes.txt', 'facts/plan.pdf', 'LICENSE'];
  const hidden = ['.DS_Store', '_READY', '.git/HEAD.csv', 'facts/_old/users.json'];
  expect(find(...notes, ...hidden)).toEqual({ listings: [], facts: [], ignored: notes, problems: [] });
});
