import { describe, expect, test } from 'vitest';
import { describeFilter } from '../../../shared/web/explorer/question/describe.ts';
import { boxValue, readValue } from '../../../shared/web/explorer/question/filter-value.ts';
import { Formatter } from '../../../shared/web/explorer/question/format.ts';
import { CATALOGUE } from './support.ts';

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
