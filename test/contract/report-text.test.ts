import { describe, expect, test } from 'vitest';
import { SORT_VALUE_NAMES } from '../../shared/catalog/compared-values.ts';
import { OPERATOR_NAMES } from '../../shared/catalog/operators.ts';
import {
  FILTER_USAGE,
  parseFilter,
  parseReport,
  type TextReport,
  writeReport,
} from '../../shared/contract/report/report-text.ts';
import { COMPARISON_NAMES } from '../../shared/lib/compared-period.ts';
import { ApiError } from '../../shared/lib/errors.ts';
import { type Random, randomFrom } from '../oracle/random/random.ts';

const PERIOD = 'start=latest-27d&end=latest';

test('a report is one line that people can read', () => {
  const report: TextReport = {
    startDate: 'today-28d',
    endDate: 'yesterday',
    advertiserIds: [2001, 2002],
    metrics: ['cost', 'halo_roas'],
    dimensions: ['campaign_name'],
    filters: [{ field: 'cost', operator: 'GREATER_THAN', values: ['50'] }],
    sort: [{ field: 'cost', order: 'DESC' }],
    compare: 'previousPeriod',
  };
  const text =
    'by=campaign_name&metrics=cost,halo_roas&start=today-28d&end=yesterday&advertisers=2001,2002&filter=cost>50&sort=-cost&compare=previousPeriod';
  expect(parseReport(text)).toEqual(report);
  expect(writeReport(report)).toBe(text.replace('>', '%3E'));
});

test('every report is read back as it was written', () => {
  for (let seed = 0; seed < 2_000; seed++) {
    const report = randomReport(randomFrom(seed));
    expect(parseReport(writeReport(report)), `seed ${seed}: ${writeReport(report)}`).toEqual(report);
  }
});

/** Any operator with any number of values: the schema of requests, not the text, decides how many it takes. */
function randomReport(random: Random): TextReport {
  const fields = ['cost', 'clicks', 'campaign_name', 'daily_date', 'IN', 'hour'];
  const dates = ['2026-02-01', 'latest-27d', 'startOfMonth-1m', 'endOfWeek+1w'];
  const list = <Item>(max: number, make: () => Item) => Array.from({ length: random.int(max + 1) }, make);
  const parts = [
    'a',
    'NULL',
    'null',
    '"',
    ',',
    '..',
    '.',
    '=',
    '~',
    '!',
    '>',
    ' ',
    '\n',
    '&',
    '#',
    '%',
    '+',
    '-5',
    '0.5',
    'Ü',
    '🥣',
  ];
  const value = () => list(4, () => random.pick(parts)).join('');
  const dated = () => ({ startDate: random.pick(dates), endDate: random.pick(dates) });
  return {
    ...dated(),
    advertiserIds: list(3, () => random.int(Number.MAX_SAFE_INTEGER)),
    metrics: random.sample(fields, random.int(4)),
    dimensions: random.sample(fields, random.int(4)),
    filters: list(3, () => ({
      field: random.pick(fields),
      operator: random.pick(OPERATOR_NAMES),
      values: list(3, value),
    })),
    sort: list(3, () => ({
      field: random.pick(fields),
      order: random.pick(['ASC', 'DESC'] as const),
      ...(random.chance(0.5) && { by: random.pick(SORT_VALUE_NAMES) }),
    })),
    ...(random.chance(0.5) && { compare: random.chance(0.5) ? random.pick(COMPARISON_NAMES) : dated() }),
  };
}

test.each([
  ['', 'start', 'REQUIRED', 'The parameter start is missing.'],
  ['start=latest', 'end', 'REQUIRED', 'The parameter end is missing.'],
  [
    `${PERIOD}&metric=cost`,
    'metric',
    'UNKNOWN_MEMBER',
    'There is no parameter metric (did you mean metrics?); there are by,',
  ],
  [`${PERIOD}&by=hour&by=brand`, 'by', 'DUPLICATE', 'Only filter may be repeated; put all values of by into one'],
  [`${PERIOD}&advertisers=`, 'advertisers', 'WRONG_FORMAT', 'Must be ids'],
  [`${PERIOD}&advertisers=2001,x`, 'advertisers', 'WRONG_FORMAT', 'x is not an id'],
  [`${PERIOD}&filter=hour=1&filter=cost`, 'filter', 'WRONG_FORMAT', 'cost is not a filter; filters are'],
  [`${PERIOD}&sort=cost:desc`, 'sort', 'WRONG_FORMAT', 'cost:desc is not a sort order; it must be a field, with -'],
  [`${PERIOD}&compare=previousYaer`, 'compare', 'WRONG_FORMAT', 'did you mean previousYear?'],
])('the text %j is rejected because of %s: %s', (text, pointer, code, detail) => {
  const [problem] = problemsOf(text);
  expect(problem).toMatchObject({ in: 'query', pointer, code, detail: expect.stringContaining(detail) });
});

test('all that is wrong with a text is reported together', () => {
  const problems = problemsOf('start=latest&filter=x&filter=y&sort=-&bye=hour');
  expect(problems.map(({ pointer }) => pointer)).toEqual(['bye', 'end', 'filter', 'filter', 'sort']);
});

function problemsOf(text: string) {
  try {
    parseReport(text);
  } catch (error) {
    if (error instanceof ApiError) return error.fields;
    throw error;
  }
  return [];
}

describe('a filter', () => {
  test.each([
    ['cost>100', 'cost', 'GREATER_THAN', ['100']],
    ['cost >= 100', 'cost', 'GREATER_THAN_OR_EQUAL', ['100']],
    ['clicks<7', 'clicks', 'LESS_THAN', ['7']],
    ['daily_date<=2026-03-01', 'daily_date', 'LESS_THAN_OR_EQUAL', ['2026-03-01']],
    ['hour=17', 'hour', 'EQUALS', ['17']],
    ['hour=17, 18', 'hour', 'IN', ['17', '18']],
    ['hour!=17', 'hour', 'NOT_EQUALS', ['17']],
    ['hour!=17,18', 'hour', 'NOT_IN', ['17', '18']],
    ['cost=0.5..2.75', 'cost', 'BETWEEN', ['0.5', '2.75']],
    ['daily_date=2026-02-01..2026-02-28', 'daily_date', 'BETWEEN', ['2026-02-01', '2026-02-28']],
    ['cost<-0.5', 'cost', 'LESS_THAN', ['-0.5']],
    ['cost=-5..-1', 'cost', 'BETWEEN', ['-5', '-1']],
    ['keyword~50% off', 'keyword', 'CONTAINS', ['50% off']],
    ['keyword~chip,dip', 'keyword', 'CONTAINS', ['chip', 'dip']],
    ['keyword!~chip', 'keyword', 'NOT_CONTAINS', ['chip']],
    ['keyword=null', 'keyword', 'IS_NULL', []],
    ['keyword!=null', 'keyword', 'NOT_NULL', []],
    ['keyword="null"', 'keyword', 'EQUALS', ['null']],
    ['brand="A, ""B"" & Co", C', 'brand', 'IN', ['A, "B" & Co', 'C']],
    ['keyword="a..b"', 'keyword', 'EQUALS', ['a..b']],
    ['campaign_name=a>b', 'campaign_name', 'EQUALS', ['a>b']],
    ['campaign_name LIKE search', 'campaign_name', 'LIKE', ['search']],
    ['cost BETWEEN 1,2', 'cost', 'BETWEEN', ['1', '2']],
    ['keyword NOT_NULL', 'keyword', 'NOT_NULL', []],
  ])('%s is a condition on %s: %s', (text, field, operator, values) => {
    expect(parseFilter(text)).toEqual({ field, operator, values });
  });

  test.each([
    ['cost>1,2', 'the filter cost>1,2 has 2 values; > takes one'],
    ['keyword=', 'lacks a value; for rows without one: keyword=null'],
    ['brand="A, B', 'the value "A has an unmatched quotation mark, or text after the closing one: put'],
    ['brand="A" x', 'or text after the closing one: put the whole value in quotation marks'],
    ['cost', 'cost is not a filter; filters are\n'],
  ])('%s is rejected: %s', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });

  test('is documented with every operator', () => {
    expect(OPERATOR_NAMES.filter((name) => !FILTER_USAGE.includes(name))).toEqual([]);
  });
});
