import { describe, expect, test } from 'vitest';
import { REPORT_URL } from '../../../shared/contract/report/report-url.ts';
import { experienceTitle } from '../../../shared/web/explorer/question/catalogue.ts';
import { describeMissing } from '../../../shared/web/explorer/question/compare-rows.ts';
import { COPY_FORMATS } from '../../../shared/web/explorer/question/copy-as.ts';
import { describeFilter, describeOwners, describeQuestion } from '../../../shared/web/explorer/question/describe.ts';
import { boxValue, readValue } from '../../../shared/web/explorer/question/filter-value.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { readLink, writeQuestion } from '../../../shared/web/explorer/question/link.ts';
import { withId } from '../../../shared/web/explorer/question/namesakes.ts';
import {
  buildRequest,
  EMPTY_QUESTION,
  type Question,
  withoutFields,
} from '../../../shared/web/explorer/question/question.ts';
import {
  firstQuestion,
  offeredQuestions,
  STARTING_QUESTIONS,
} from '../../../shared/web/explorer/question/starting-questions.ts';
import { CATALOGUE, catalogueOf } from './support.ts';

const FULL: Question = {
  experience: 'toa',
  account: 1001,
  advertisers: [2001, 2002],
  period: { startDate: '2026-02-01', endDate: '2026-02-28' },
  compare: 'previousYear',
  metrics: ['cost', 'halo_roas'],
  dimensions: ['campaign_name', 'daily_date'],
  filters: [
    { field: 'campaign_name', operator: 'IN', values: ['a, b & c="d"', '100 % +', 'Ü#?'] },
    { field: 'cost', operator: 'BETWEEN', values: ['1', '2.5'] },
    { field: 'keyword', operator: 'NOT_NULL', values: [] },
  ],
  sort: [{ field: 'cost', order: 'DESC' }],
  chart: 'line',
};

test.each([
  ['campaign_name', ['campaign_name', 'campaign_id', 'daily_date']],
  ['creative_name', ['campaign_name', 'daily_date', 'creative_key']],
])('the ids of %s follow the names, or all dimensions where names are only filtered', (name, expected) => {
  expect(withId(FULL, name).dimensions).toEqual(expected);
});

/** @returns the link as it is read with a key of account 1001 */
const read = (text: string, advertiserIds?: readonly number[]) => readLink(text, CATALOGUE, [1001], advertiserIds);
/** As `read`, for the parts of a link that has its end. */
const readParts = (text: string, advertiserIds?: readonly number[]) => read(`${text}&v=1`, advertiserIds);
const END = 'End of the link: the last part may be cut, too';

describe('a link', () => {
  test.each<[string, Question]>([
    ['a full question', FULL],
    ['relative dates', { ...FULL, period: { startDate: 'startOfMonth-1m', endDate: 'endOfMonth-1m' } }],
    ['compared dates', { ...FULL, compare: { startDate: '2025-11-01', endDate: 'latest' } }],
    ['a change to sort by', { ...FULL, sort: [{ field: 'cost', order: 'ASC', by: 'change' }] }],
    ...STARTING_QUESTIONS.map(({ title, question }): [string, Question] => [title, question]),
  ])('holds %s', (_, question) => {
    expect(read(writeQuestion(question))).toEqual({ question, leftOut: [] });
  });

  test('that is empty has the default of every part', () => {
    expect(readParts('')).toEqual({ question: EMPTY_QUESTION, leftOut: [] });
  });

  test('may cover all experiences', () => {
    expect(readParts('experience=all')).toEqual({ question: { ...EMPTY_QUESTION, experience: 'all' }, leftOut: [] });
  });

  /** They were left out without a word, and the figures of all accounts appeared under a link that names one. */
  test.each([
    ['experience=video', ['Experience “video”']],
    ['experience=..%2Fjwt', ['Experience “../jwt”']],
    ['experience=__proto__', ['Experience “__proto__”']],
    ['account=1002&advertisers=2001', ['Account “1002”', 'Advertiser “2001”']],
    ['account=x', ['Account “x”']],
    ['advertisers=x', ['Advertiser “x”']],
    ['start=2026-02-30&end=2026-03-01', ['Period “2026-02-30 to 2026-03-01”']],
    ['start=today&end=startOfMonth-1m', ['Period “today to startOfMonth-1m”']],
    ['compare=2026-03-01..2026-02-01', ['Comparison “2026-03-01..2026-02-01”']],
    ['compare=ever&chart=pie', ['Comparison “ever”', 'Chart “pie”']],
    ['metrics=gone&by=nope', ['Metric “gone”', 'Dimension “nope”']],
    ['sort=gone,-cost:y', ['Sort order “gone”', 'Sort order “-cost:y”']],
    ['filter=cost&filter=cost IS 1', ['Filter “cost”', 'Filter “cost IS 1”']],
    ['filter=gone=1', ['Filter “gone=1”']],
    ['filter=keyword=na%C3', ['Filter “keyword=na\uFFFD”']],
    ['filter=cost BETWEEN 1&filter=keyword IN', ['Filter “cost BETWEEN 1”', 'Filter “keyword IN”']],
    ['filter=campaign_status=ENDED_EARLY', ['Value “ENDED_EARLY” of the filter by Campaign status']],
  ])('says that it is read without %s', (part, leftOut) => {
    expect(readParts(part)).toEqual({ question: EMPTY_QUESTION, leftOut });
  });

  test('keeps the other values of a filter, and texts that a field with closed values contains', () => {
    const { question, leftOut } = readParts('filter=campaign_status=ACTIVE,x&filter=campaign_status~x');
    expect(question.filters).toEqual([
      { field: 'campaign_status', operator: 'IN', values: ['ACTIVE'] },
      { field: 'campaign_status', operator: 'CONTAINS', values: ['x'] },
    ]);
    expect(leftOut).toEqual(['Value “x” of the filter by Campaign status']);
  });

  test('that was cut inside a name or a filter says what is left of it', () => {
    const whole = writeQuestion(FULL);
    const cuts = [
      '&sort=-cos',
      '&filter=campaign_name%3D%22a,+b',
      '&by=campaign_name,daily_',
      '&compare=previousY',
      '&comp',
    ];
    const ends = cuts.map((end) => {
      expect(whole).toContain(end);
      return read(whole.slice(0, whole.indexOf(end) + end.length)).leftOut;
    });
    expect(ends).toEqual([
      [END, 'Sort order “-cos”'],
      [END, 'Filter “campaign_name="a, b”'],
      [END, 'Dimension “daily_”'],
      [END, 'Comparison “previousY”'],
      ['Part “comp”', END],
    ]);
  });

  test.each<[string, Partial<Question>]>([
    [
      'an amount of a filter',
      { metrics: [], sort: [], filters: [{ field: 'cost', operator: 'GREATER_THAN', values: ['1000'] }] },
    ],
    ['a list of dimensions', { sort: [], dimensions: ['campaign_name', 'daily_date'] }],
    ['its sort order', { chart: 'auto' }],
    ['its chart', { chart: 'stack' }],
  ])('that was cut anywhere is not shown as if it were whole, even within %s', (_, change) => {
    const whole = writeQuestion({ ...FULL, ...change });
    for (let length = 0; length < whole.length; length++)
      expect(read(whole.slice(0, length)).leftOut, whole.slice(0, length)).not.toEqual([]);
    expect(read(whole).leftOut).toEqual([]);
  });

  test('has only advertisers of its account', () => {
    const text = 'account=1001&advertisers=2001,2009,&metrics=cost';
    const link = readParts(text);
    expect(link).toMatchObject({ question: { advertisers: [2001, 2009] }, leftOut: ['Advertiser “”'] });
    expect(readParts(text, [2001, 2002])).toEqual({
      question: { ...link.question, advertisers: [2001] },
      leftOut: ['Advertiser “2009”', 'Advertiser “”'],
    });
  });
});

describe('whose data it is', () => {
  const accounts = [
    { id: 1001, name: 'Finchwater' },
    { id: 1002, name: 'Reedmoor' },
  ];
  const advertisers = ['Crinklefen', 'Saltlark', 'Tumblecorn', 'Fizzlebrook', 'Mirefield'].map((name, index) => ({
    id: 2001 + index,
    name,
    account: 'Finchwater',
  }));
  const namesakes = [2011, 2012].map((id) => ({ id, name: 'Saltlark', account: 'Reedmoor' }));
  test.each<[string, number | undefined, number[]]>([
    ['all 2 accounts', undefined, []],
    ['advertisers Crinklefen and Saltlark (Finchwater)', undefined, [2001, 2002]],
    ['advertisers Saltlark (2011) and 9', undefined, [2011, 9]],
    ['Finchwater', 1001, []],
    ['Finchwater: Crinklefen', 1001, [2001]],
    ['Finchwater: Crinklefen, Saltlark (Finchwater), Tumblecorn and 2 more', 1001, [2001, 2002, 2003, 2004, 2005]],
  ])('is stated as %s', (text, account, chosen) => {
    expect(describeOwners({ account, advertisers: chosen }, accounts, [...advertisers, ...namesakes])).toBe(text);
  });

  test('is the account’s name for a key with only one', () => {
    expect(describeOwners({ account: undefined, advertisers: [] }, accounts.slice(1), [])).toBe('Reedmoor');
  });
});

test('a ready-made question has values in every experience, except for fields that have no meaning in it', () => {
  const conflicts = CATALOGUE.choices.flatMap((experience) =>
    STARTING_QUESTIONS.flatMap(({ question: { metrics, dimensions, filters } }) => {
      const names = new Set([...metrics, ...dimensions, ...filters.map(({ field }) => field)]);
      return [...names].flatMap((name) => {
        const conflict = CATALOGUE.conflictOf(name, { experience, metrics, dimensions, filters });
        return conflict === undefined ? [] : [[experience, name, conflict.reason]];
      });
    }),
  );
  expect(conflicts).toEqual([
    ['toa', 'keyword', 'Has no meaning in TOA.'],
    ['toa', 'keyword', 'Has no meaning in TOA.'],
    ['toa', 'share_of_voice', 'Has no meaning in TOA.'],
    ['carousel', 'keyword', 'Has no meaning in Carousel.'],
    ['carousel', 'keyword', 'Has no meaning in Carousel.'],
  ]);
});

test('a report of all experiences offers every field, with conflicts only at its grain', () => {
  const conflict = (name: string, dimensions: string[]) =>
    CATALOGUE.conflictOf(name, { experience: 'all', metrics: [], dimensions, filters: [] });
  expect(
    [...CATALOGUE.metrics, ...CATALOGUE.dimensions].filter((field) => !CATALOGUE.hasMeaning(field, 'all')),
  ).toEqual([]);
  expect(conflict('video_starts', [])).toBeUndefined();
  expect(conflict('hours_live', ['placement'])?.remove).toEqual(['placement']);
  expect(CATALOGUE.choices.map(experienceTitle)).toEqual(['PLA', 'TOA', 'Carousel', 'All']);
});

describe('a question becomes a request', () => {
  test('of its period and comparison', () => {
    const request = buildRequest(FULL, CATALOGUE, [2001, 2002, 2003]);
    expect(request).toEqual({
      startDate: '2026-02-01',
      endDate: '2026-02-28',
      advertiserIds: [2001, 2002],
      metrics: ['cost', 'halo_roas'],
      dimensions: ['campaign_name', 'daily_date'],
      filters: FULL.filters,
      sort: [{ field: 'cost', order: 'DESC' }],
      compare: 'previousYear',
    });
  });

  test('of all advertisers of the account, if none is chosen, and of all of the key without an account', () => {
    const ids = (part: Partial<Question>) => buildRequest({ ...FULL, ...part }, CATALOGUE, [2001, 2003]).advertiserIds;
    expect(ids({ advertisers: [] })).toEqual([2001, 2003]);
    expect(ids({ advertisers: [], account: undefined })).toEqual([]);
  });

  /** The request had no advertisers, and so showed those of all accounts of the key under the name of this one. */
  test('unless the account has no advertisers', () => {
    const resolve = (part: Partial<Question>, ids: readonly number[]) =>
      buildRequest({ ...FULL, ...part }, CATALOGUE, ids).advertiserIds;
    expect(() => resolve({ account: 1999, advertisers: [] }, [])).toThrow('This account has no advertisers yet.');
    expect(resolve({ account: undefined, advertisers: [] }, [])).toEqual([]);
  });

  test('that is sorted by dates and hours, else by the first metric that is not an attribute', () => {
    const sort = (part: Partial<Question>) =>
      buildRequest({ ...EMPTY_QUESTION, metrics: ['campaign_status', 'cost'], ...part }, CATALOGUE, []).sort;
    expect(sort({ dimensions: ['campaign_name'] })).toEqual([{ field: 'cost', order: 'DESC' }]);
    expect(sort({ dimensions: ['campaign_name', 'hour', 'daily_date'] })).toEqual([
      { field: 'hour', order: 'ASC' },
      { field: 'daily_date', order: 'ASC' },
    ]);
  });

  test('that is sorted by a change only with a comparison', () => {
    const sort = [{ field: 'cost', order: 'ASC', by: 'change' }] as const;
    const sortOf = (part: Partial<Question>) =>
      buildRequest({ ...FULL, sort, ...part }, CATALOGUE, [2001, 2002, 2003]).sort;
    expect(sortOf({})).toEqual(sort);
    expect(sortOf({ compare: undefined })).toEqual([{ field: 'cost', order: 'ASC' }]);
  });

  test('and is not sorted by a field that was removed', () => {
    expect(withoutFields(FULL, ['cost'])).toMatchObject({ metrics: ['halo_roas'], sort: [] });
  });
});

test.each([
  [['cost'], ['campaign_name'], 'Cost by Campaign'],
  [['cost', 'clicks'], [], 'Cost and Clicks'],
  [
    ['cost', 'clicks', 'impressions', 'halo_units', 'halo_revenue'],
    ['hour', 'daily_date'],
    'Cost, Clicks, Impressions and 2 more by Hour and Day',
  ],
  [[], ['keyword'], 'All values of Keyword'],
  [[], [], 'New report'],
])('%j by %j is called “%s”', (metrics, dimensions, title) => {
  expect(describeQuestion({ metrics, dimensions }, CATALOGUE)).toBe(title);
});

test.each([
  ['pla', undefined, true],
  ['toa', undefined, false],
  ['all', undefined, true],
  ['pla', 'clicks', true],
  ['pla', 'halo_roas', false],
  ['pla', 'keyword', true],
  ['pla', 'purchased_entity_name', false],
  ['all', 'clicks', true],
  ['all', 'halo_roas', false],
  ['all', 'video_starts', false],
  ['toa', 'clicks', false],
])('where only delivery of pla was loaded, %s has data of %s: %j', (experience, name, expected) => {
  const field = name === undefined ? undefined : fieldOf(name);
  const loaded = catalogueOf({ pla: ['halo_roas', 'purchased_entity_name'] });
  expect(loaded.hasData(experience, field)).toBe(expected);
  expect(catalogueOf({}).hasData(experience, field)).toBe(true);
});

test('ready-made questions about what nobody loaded are left out, and the others ask for nothing that has no data', () => {
  const loaded = catalogueOf({
    toa: ['halo_roas', 'halo_revenue', 'direct_revenue', 'unique_user_impressions', 'hour'],
  });
  const titles = (all: boolean) => offeredQuestions(loaded, 'toa', all).map(({ title }) => title);
  expect(titles(false)).toEqual(['Campaign overview', 'Trend by day', 'Viewability', 'New to brand', 'Pacing']);
  expect(titles(true)).toEqual(STARTING_QUESTIONS.map(({ title }) => title));
  const { experience, metrics } = firstQuestion(loaded);
  expect([experience, metrics]).toEqual(['toa', ['cost', 'impressions', 'clicks', 'click_through_rate']]);
  expect(firstQuestion(CATALOGUE)).toEqual(STARTING_QUESTIONS[0]?.question);
});

const LOADED = {
  ...{ from: '2026-02-01', through: '2026-03-01', missingDays: [], missingDayCount: 0 },
  ...{ gaps: [], gapDayCount: 0, tables: [] },
};

test.each([
  [0, undefined, undefined],
  [0, 0, undefined],
  [1, undefined, '1 day missing'],
  [1, 2, '3 days missing'],
])('totals with %j and %j missing days say instead of a percentage: %j', (own, compared, expected) => {
  const missing = (missingDayCount: number) => ({ ...LOADED, missingDayCount });
  const period = { startDate: '2026-01-01', endDate: '2026-01-28' };
  const meta = compared === undefined ? {} : { compared: { ...period, data: missing(compared) } };
  expect(describeMissing({ data: missing(own), ...meta })).toBe(expected);
});

test('code of a question contains the request, and reads the key from the environment', () => {
  const request = buildRequest(
    { ...FULL, filters: [{ field: 'campaign_name', operator: 'IN', values: ["Pop's"] }] },
    CATALOGUE,
    [2001, 2002],
  );
  const texts = COPY_FORMATS.map(
    ({ id, write }) => [id, write({ base: 'https://api.example.com/v2', experience: 'pla', report: request })] as const,
  );
  const written = new Map(texts);
  expect(JSON.parse(written.get('json') ?? '')).toEqual({ ...request, pagination: { offset: 0, size: 10_000 } });
  expect(written.get('curl')).toContain("Pop'\\''s");
  const url = new URL(written.get('url') ?? '');
  const { body, problems } = REPORT_URL.read((name) => url.searchParams.getAll(name), 'csv');
  expect([url.pathname, body, problems]).toEqual(['/v2/report/pla', { ...request, pagination: body.pagination }, []]);
  expect([...url.searchParams.keys()].filter((name) => !REPORT_URL.parameters.includes(name))).toEqual([
    'subscription-key',
  ]);
  expect(texts.filter(([id, text]) => !['url', 'json'].includes(id) && !text.includes('ENDCAP_KEY'))).toEqual([]);
  expect(written.get('typescript')).toContain('startDate: "2026-02-01"');
  expect(written.get('python')).toContain('pd.json_normalize(rows)'); // columns such as compared.cost
});

const english = new Formatter('en-US');
const german = new Formatter('de-DE');

function fieldOf(name: string) {
  const field = CATALOGUE.field(name);
  if (field === undefined) throw new Error(`the catalogue has no field ${name}`);
  return field;
}

/** A filter CTR > 1 was sent as 100 %, and `1%` or `$1,000` was rejected after sending. */
describe('a filter takes what figures look like', () => {
  test.each([
    ['click_through_rate', '1%', '0.01'],
    ['click_through_rate', '1', '0.01'],
    ['click_through_rate', '0.07 %', '0.0007'],
    ['click_through_rate', '-12.345', '-0.12345'],
    ['click_through_rate', '100', '1'],
    ['click_through_rate', '0', '0'],
    ['cost', '$1,234.50', '1234.50'],
    ['cost', '1234.5 USD', '1234.5'],
    ['cost', '−$0.0042', '-0.0042'],
    ['cost', '.5', '0.5'],
    ['cost', '12,34,567', '1234567'],
    ['clicks', '12,000', '12000'],
    ['time_live', '50%', '0.5'],
    ['campaign_name', ' 1% ', ' 1% '],
  ])('of %s: %s is %s', (name, text, value) => {
    expect(readValue(fieldOf(name), text, english)).toEqual({ value });
  });

  test.each([
    ['click_through_rate', '1,5 %', '0.015'],
    ['cost', '1.234,5 $', '1234.5'],
    ['clicks', '1.000', '1000'],
  ])('of %s in German: %s is %s', (name, text, value) => {
    expect(readValue(fieldOf(name), text, german)).toEqual({ value });
  });

  test.each([
    ['cost', 'a lot', 'Must be a number, such as $1,234.50.'],
    ['cost', '1,5', 'Must be a number, such as $1,234.50.'],
    ['cost', '€5', 'Must be a number, such as $1,234.50.'],
    ['cost', '1e3', 'Must be a number, such as $1,234.50.'],
    ['click_through_rate', '-', 'Must be a number, such as 1.5%.'],
    ['clicks', '1.5', 'Must be a whole number, such as 1,200.'],
    ['campaign_id', 'x', 'Must be a whole number, such as 1200.'],
    ['daily_date', '2026-02-30', 'Must be a date, such as 2026-03-01.'],
  ])('of %s, %s is wrong', (name, text, problem) => {
    expect(readValue(fieldOf(name), text, english)).toEqual({ problem });
  });
});

test('a box shows the value of a link as figures are shown, without the unit, and reads it again', () => {
  const values = [
    ['click_through_rate', '0.015', '1.5', '1,5'],
    ['click_through_rate', '0.070000000000000001', '7.0000000000000001', '7,0000000000000001'],
    ['cost', '1234.5', '1234.50', '1234,50'],
    ['clicks', '12000', '12000', '12000'],
    ['cost', 'a lot', 'a lot', 'a lot'],
  ] as const;
  for (const [name, value, shown, inGerman] of values) {
    const field = fieldOf(name);
    expect([boxValue(field, value, english), boxValue(field, value, german)]).toEqual([shown, inGerman]);
    if (value !== 'a lot') expect(Number(readValue(field, inGerman, german).value)).toBe(Number(value));
  }
});

test.each([
  [{ field: 'click_through_rate', operator: 'GREATER_THAN', values: ['0.012345'] }, 'Click-through rate > 1.2345%'],
  [{ field: 'cost', operator: 'BETWEEN', values: ['0.0042', '1500'] }, 'Cost is between $0.0042 and $1,500'],
  [{ field: 'weekday', operator: 'EQUALS', values: ['7'] }, 'Weekday is Sunday'],
  [{ field: 'campaign_id', operator: 'NOT_NULL', values: [] }, 'Campaign id has a value'],
])('a filter in words has values as figures are shown: %j', (filter, text) => {
  expect(describeFilter(filter, CATALOGUE, english)).toBe(text);
});
