import { describe, expect, test } from 'vitest';
import { FieldNames } from '../../../../infra/cli/tools/query/field-names.ts';
import { FILTER_USAGE, parseFilter } from '../../../../infra/cli/tools/query/parse-filter.ts';
import { readPeriod } from '../../../../infra/cli/tools/report/report-options.ts';
import { describedDimensions, describedMetrics } from '../../../../shared/catalog/describe/describe-fields.ts';
import { OPERATOR_NAMES } from '../../../../shared/catalog/operators.ts';

const names = new FieldNames({ metrics: describedMetrics(), dimensions: describedDimensions() });

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
    expect(parseFilter(text, names)).toEqual({ field, operator, values });
  });

  test.each([
    ['cost>1,2', 'the filter cost>1,2 has 2 values; > takes one'],
    ['keyword=', 'lacks a value; for rows without one: keyword=null'],
    ['brand="A, B', 'the value "A has an unmatched quotation mark, or text after the closing one: put'],
    ['brand="A" x', 'or text after the closing one: put the whole value in quotation marks'],
    ['cost', 'cost is not a filter; filters are\n'],
    ['roas>1', 'there is no field roas (did you mean halo_roas or halo_exposed_roas?)'],
    ['campaignName=x', 'there is no field campaignName (did you mean campaign_name?)'],
  ])('%s is rejected: %s', (text, message) => {
    expect(() => parseFilter(text, names)).toThrow(message);
  });

  test('is documented with every operator', () => {
    expect(OPERATOR_NAMES.filter((name) => !FILTER_USAGE.includes(name))).toEqual([]);
  });
});

test.each([
  [{}, 'latest-6d', 'latest'],
  [{ last: '1d' }, 'latest', 'latest'],
  [{ last: '28d' }, 'latest-27d', 'latest'],
  [{ last: '2w' }, 'latest-13d', 'latest'],
  [{ from: 'startOfMonth' }, 'startOfMonth', 'latest'],
  [{ from: '2026-02-01', to: 'yesterday' }, '2026-02-01', 'yesterday'],
])('the period %j is from %s to %s', (options, startDate, endDate) => {
  expect(readPeriod(options)).toEqual({ startDate, endDate });
});

test.each<[Parameters<typeof readPeriod>[0], string]>([
  ...['28', '0d', '28 days', 'd', '3m'].map((last): [object, string] => [
    { last },
    `--last is ${last}; it must be a number`,
  ]),
  [{ to: 'today' }, '--to needs --from'],
  [{ last: '7d', from: 'today' }, '--last cannot be combined with --from or --to'],
  [{ last: '7d', to: 'today' }, '--last cannot be combined with --from or --to'],
])('%j is not a period', (options, message) => {
  expect(() => readPeriod(options)).toThrow(message);
});
