import { describe, expect, test } from 'vitest';
import { SORT_VALUE_NAMES } from '../../shared/catalog/compared-values.ts';
import { OPERATOR_NAMES } from '../../shared/catalog/operators.ts';
import {
  parseCompare,
  parseFilter,
  parseSort,
  writeFilter,
  writeLink,
  writeReport,
  writeSort,
} from '../../shared/contract/report/report-text.ts';
import { randomFrom } from '../oracle/random/random.ts';

test('a report is one line that people can read', () => {
  const report = {
    experience: 'pla',
    startDate: 'latest-27d',
    endDate: 'latest',
    advertiserIds: [2001, 2002],
    metrics: ['cost', 'halo_roas'],
    dimensions: ['campaign_name'],
    filters: [{ field: 'cost', operator: 'GREATER_THAN', values: ['50'] }],
    sort: [{ field: 'cost', order: 'DESC' }],
    compare: 'previousPeriod',
  } as const;
  expect(decodeURIComponent(writeLink(writeReport(report)))).toBe(
    'experience=pla&advertisers=2001,2002&start=latest-27d&end=latest&compare=previousPeriod&filter=cost>50&metrics=cost,halo_roas&by=campaign_name&sort=-cost&v=1',
  );
});

/** Any operator with any number of values: the schema of requests, not the text, decides how many it takes. */
test('every filter and sort order is read back as it was written, also from a link', () => {
  const fields = ['cost', 'clicks', 'campaign_name', 'daily_date', 'IN', 'hour'];
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
  for (let seed = 0; seed < 2_000; seed++) {
    const random = randomFrom(seed);
    const list = <Item>(max: number, make: () => Item) => Array.from({ length: random.int(max + 1) }, make);
    const value = () => list(4, () => random.pick(parts)).join('');
    const filter = { field: random.pick(fields), operator: random.pick(OPERATOR_NAMES), values: list(3, value) };
    const sort = {
      field: random.pick(fields),
      order: random.pick(['ASC', 'DESC'] as const),
      ...(random.chance(0.5) && { by: random.pick(SORT_VALUE_NAMES) }),
    };
    const link = writeLink(new URLSearchParams({ filter: writeFilter(filter), sort: writeSort(sort) }));
    const read = new URLSearchParams(link);
    expect(parseFilter(read.get('filter') ?? ''), `seed ${seed}: ${link}`).toEqual(filter);
    expect(parseSort(read.get('sort') ?? ''), `seed ${seed}: ${link}`).toEqual(sort);
  }
});

test.each(['cost:desc', '-', 'cost,clicks', ''])('%j is no sort order', (text) => {
  expect(() => parseSort(text)).toThrow('is not a sort order; it must be a field, with - before it to descend: -cost;');
});

test.each([
  ['previousperiod', 'previousPeriod'],
  ['2025-11-01..latest', { startDate: '2025-11-01', endDate: 'latest' }],
])('%s is a compared period', (text, compare) => {
  expect(parseCompare(text)).toEqual(compare);
});

test('a misspelt compared period is rejected with the name that was meant', () => {
  expect(() => parseCompare('previousYaer')).toThrow('did you mean previousYear?');
});

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
    ['cost', 'cost is not a filter; a filter is field=value,value; !=, >, '],
  ])('%s is rejected: %s', (text, message) => {
    expect(() => parseFilter(text)).toThrow(message);
  });
});
