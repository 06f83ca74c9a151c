import { expect, test } from 'vitest';
import { suggestName } from '../../shared/contract/suggest.ts';

const NAMES = ['clicks', 'cost', 'cost_per_click', 'click_through_rate', 'daily_date', 'EQUALS', 'ASC'];

test.each([
  ['click', 'clicks'],
  ['Clicks', 'clicks'],
  ['clikcs', 'clicks'],
  ['costs', 'cost'],
  ['dailyDate', 'daily_date'],
  ['equals', 'EQUALS'],
  ['asc', 'ASC'],
  ['ASCENDING', undefined],
  ['impressions', undefined],
  ['', undefined],
  [7, undefined],
  ['x'.repeat(10_000), undefined],
])('suggestName(%s) returns %s', (text, expected) => {
  expect(suggestName(text, NAMES)).toBe(expected);
});
