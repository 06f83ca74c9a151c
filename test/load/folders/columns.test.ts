import { describe, expect, test } from 'vitest';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { ndjson } from '../support/fact-lines.ts';
import { type Files, useRejections } from '../support/use-rejections.ts';

const rejections = useRejections();

/** Loads files of the same day one after another, so days that shrink are expected. */
async function load(files: Files) {
  const report = await rejections.load(files);
  return { ...report, warnings: report.warnings.filter((warning) => !warning.includes('with fewer hours')) };
}

async function expectProblems(files: Files, expected: readonly unknown[]): Promise<void> {
  const { outcome, problems } = await load(files);
  expect({ outcome, problems: problems.map(formatProblem) }).toEqual({ outcome: 'rejected', problems: expected });
}

const FILE = 'facts/pla/delivery.csv';
const csv = (...lines: string[]): Files => ({ [FILE]: `${lines.join('\n')}\n` });

describe('column names', () => {
  test('match without regard to case and underscores, in every format', async () => {
    const files = {
      [FILE]: 'DAILY_DATE,Hour,adGroupId,impressions\n2026-03-01,0,1000,1\n',
      'facts/toa/delivery.ndjson': ndjson({ dailydate: '2026-03-01', HOUR: 0, AD_GROUP_ID: 1000 }),
      'accounts.patch.csv': 'ID,NAME,Active\n1,Acme,\n',
    };
    expect(await load(files)).toMatchObject({ outcome: 'loaded', problems: [] });
  });

  test('must differ otherwise, and be known', async () => {
    await expectProblems(csv('daily_date,hour,ad_group_id,adGroupId,spend', '2026-03-01,0,1000,1000,1'), [
      `${FILE}:1: adGroupId is the same column as ad_group_id`,
      expect.stringMatching(/:1: spend is not a column of this file \(did you mean cost\?\)/),
    ]);
    await expectProblems(
      { 'facts/pla/delivery.ndjson': ndjson({ daily_date: '2026-03-01', hour: 0, ad_group_id: 1000, Hour: 1 }) },
      ['facts/pla/delivery.ndjson:1: Hour is the same column as hour'],
    );
    const row = { daily_date: '2026-03-01', hour: 0, ad_group_id: 1000 };
    await expectProblems({ 'facts/pla/delivery.ndjson': ndjson(row) + ndjson({ ...row, Hour: 1 }) }, [
      'facts/pla/delivery.ndjson:2: Hour is the same column as hour',
    ]);
  });

  /** A header of 10,000 names took 3.3 s, and one of 0.5 MB did not end. */
  test('of a header of 0.5 MB are each looked at once', async () => {
    const names = Array.from({ length: 60_000 }, (_, i) => `column${i}`);
    const report = await load(csv(`daily_date,hour,ad_group_id,${names}`, '2026-03-01,0,1000'));
    expect(report.outcome).toBe('rejected');
    expect(Number(report.problemCount)).toBeGreaterThanOrEqual(names.length);
  });

  test('are mapped or ignored by columns.json', async () => {
    const files = {
      'columns.json': '{"delivery": {"spend": "cost", "Internal_Note": null}, "accounts": {"title": "name"}}',
      'accounts.patch.csv': 'id,title\n1,Acme\n',
      ...csv('daily_date,hour,ad_group_id,spend,internal_note', '2026-03-01,0,1000,1.5,x'),
    };
    expect(await load(files)).toMatchObject({ outcome: 'loaded', warnings: [] });
  });

  test.each([
    ['{"delivery": {"spend": "costs"}}', /^columns\.json: delivery\.spend /],
    ['{"deliveries": {}}', /^columns\.json: .*deliveries/],
    ['{', /^columns\.json: is not JSON: /],
  ])('are rejected with columns.json %s', async (text, problem) => {
    await expectProblems({ 'columns.json': text }, [expect.stringMatching(problem)]);
  });

  test('that are empty are shown as such', async () => {
    await expectProblems(csv('daily_date,,hour,ad_group_id', '2026-03-01,x,0,1000'), [
      `${FILE}:1: has no name for column 2`,
    ]);
    await expectProblems(
      { 'facts/pla/delivery.ndjson': ndjson({ daily_date: '2026-03-01', hour: 0, ad_group_id: 1000, '': 1 }) },
      [expect.stringMatching(/:1: \(a column with the name ""\) is not a column/)],
    );
  });
});

describe('is ignored with a warning:', () => {
  test.each([
    [
      'the index of pandas in CSV',
      csv(',daily_date,hour,ad_group_id', '10,2026-03-01,0,1000', '11,2026-03-01,1,1000'),
      'the first column has no name and counts rows',
    ],
    [
      'the index of pandas in Parquet',
      {
        'facts/pla/delivery.ndjson': ndjson({
          daily_date: '2026-03-01',
          hour: 0,
          ad_group_id: 1000,
          __index_level_0__: 7,
        }),
      },
      'the index __index_level_0__',
    ],
    [
      'columns without names and values',
      csv('daily_date,hour,ad_group_id,,', '2026-03-01,0,1000,,'),
      'columns without a name and values',
    ],
    [
      'a row without values',
      csv('daily_date,hour,ad_group_id', '2026-03-01,0,1000', ',,', ',,'),
      'has empty rows, which are ignored, such as line 3',
    ],
  ])('%s', async (_, files, warning) => {
    const { outcome, warnings, problems } = await load(files);
    expect({ outcome, warnings, problems: problems.map(formatProblem) }).toEqual({
      outcome: expect.stringMatching(/loaded|unchanged/),
      warnings: [expect.stringContaining(warning)],
      problems: [],
    });
  });

  test('but not values in columns without a name', async () => {
    await expectProblems(csv('daily_date,hour,ad_group_id,', '2026-03-01,0,1000,7'), [
      `${FILE}:2: has a value in a column without a name, after the 3 columns that the header names`,
    ]);
    await expectProblems(csv(',daily_date,hour,ad_group_id', 'x,2026-03-01,0,1000'), [
      `${FILE}:1: has no name for column 1`,
    ]);
  });
});

describe('the true cause is named of', () => {
  const row = '2026-03-01,0,1000';
  const header = 'daily_date,hour,ad_group_id';
  test.each<[string, Files, (string | RegExp)[]]>([
    [
      'UTF-16',
      { [FILE]: Buffer.from(`\ufeff${header}\n${row}\n`, 'utf16le') },
      [`${FILE}: is UTF-16: save it as CSV UTF-8`],
    ],
    [
      'Latin-1',
      { [FILE]: Buffer.from(`${header},keyword\n${row},é\n`, 'latin1') },
      [`${FILE}:2: is not UTF-8, but perhaps Latin-1 or Windows-1252: save the file as CSV UTF-8`],
    ],
    [
      'semicolons',
      csv('daily_date;hour;ad_group_id', '2026-03-01;0;1000'),
      [/:1: separates its columns by semicolons/],
    ],
    ['pipes', csv('daily_date|hour|ad_group_id', '2026-03-01|0|1000'), [/:1: separates its columns by pipes/]],
    [
      'backslashes',
      csv(`${header},keyword`, `${row},"say \\"hi\\""`),
      [/:2: is malformed: backslashes do not escape quotes: write "" for a quote \(in Spark, the option escape\)/],
    ],
    [
      'a preface',
      csv('Report: Delivery', 'From 2026-03-01', '', header, row),
      [`${FILE}:1: is not the header, which is in line 4: remove the lines before it`],
    ],
    [
      'totals',
      csv(header, row, 'Grand Total,0,1000'),
      [`${FILE}:3: daily_date must be a date YYYY-MM-DD, not "Grand Total": remove rows of totals`],
    ],
    [
      'decimal commas',
      csv(`${header},cost`, `${row},"1,5"`),
      [/cost must be a decimal, not "1,5": write a point before decimals, and no other separators$/],
    ],
    [
      'other dates',
      csv(header, '03/08/2026,0,1000'),
      [`${FILE}:2: daily_date must be a date YYYY-MM-DD, not "03/08/2026"`],
    ],
    [
      'epoch numbers',
      csv(header, '1772323200,0,1000'),
      [`${FILE}:2: daily_date must be a date YYYY-MM-DD, not "1772323200": a time as a number since 1970`],
    ],
    [
      'sums of floats',
      {
        'facts/pla/delivery.ndjson': ndjson({
          daily_date: '2026-03-01',
          hour: 0,
          ad_group_id: 1000,
          clicks: 2.0000000000000004,
        }),
      },
      [/clicks must be an integer ≥ 0, not 2.0000000000000004: a sum of floats, which must be rounded/],
    ],
  ])('%s', async (_, files, problems) => {
    await expectProblems(
      files,
      problems.map((problem) => (typeof problem === 'string' ? problem : expect.stringMatching(problem))),
    );
  });
});
