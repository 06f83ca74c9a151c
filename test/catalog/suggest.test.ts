import { describe, expect, test } from 'vitest';
import { aliasesOf, fieldsFor } from '../../shared/catalog/describe/aliases.ts';
import { suggestNames } from '../../shared/catalog/describe/suggest.ts';
import { DIMENSION_NAMES } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES } from '../../shared/catalog/metrics.ts';

const NAMES = ['clicks', 'cost', 'cost_per_click', 'click_through_rate', 'daily_date', 'EQUALS', 'ASC'];

test.each([
  ['cots', 'cost'],
  ['lcicks', 'clicks'],
  ['csto', undefined],
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
])('suggestNames(%s) returns %s, with at most a third of the characters edited or swapped', (text, expected) => {
  expect(suggestNames(text, NAMES)).toEqual(expected === undefined ? [] : [expected]);
});

describe('suggestNames', () => {
  test.each([
    ['roas', METRIC_NAMES, ['halo_roas', 'halo_exposed_roas']],
    ['ROAS', METRIC_NAMES, ['halo_roas', 'halo_exposed_roas']],
    ['date', DIMENSION_NAMES, ['daily_date']],
    ['ctr', METRIC_NAMES, ['click_through_rate']],
    ['spend', METRIC_NAMES, ['cost']],
    ['search-term', DIMENSION_NAMES, ['keyword']],
    ['campaign', DIMENSION_NAMES, ['campaign_name']],
    ['impresions', METRIC_NAMES, ['impressions']],
    ['campaignId', DIMENSION_NAMES, ['campaign_id']],
    ['rate', METRIC_NAMES, ['win_rate', 'click_through_rate', 'clicked_conversion_rate']],
    ['hour', METRIC_NAMES, []],
    ['zzz', METRIC_NAMES, []],
    ['', METRIC_NAMES, []],
    [7, METRIC_NAMES, []],
  ])(
    '(%s) returns the fields that it stands for, the closest one, or those that contain it',
    (text, names, expected) => {
      expect(suggestNames(text, names)).toEqual(expected);
    },
  );
});

test('suggestNames suggests nothing for a long text', () => {
  expect(suggestNames('roas_'.repeat(10_000), METRIC_NAMES)).toEqual([]);
});

test('fieldsFor finds every field by each of its aliases, and all aliases are in lower case', () => {
  const all = [...METRIC_NAMES, ...DIMENSION_NAMES];
  for (const name of all)
    for (const word of aliasesOf(name)) expect([word, fieldsFor(word)]).toEqual([word, expect.arrayContaining([name])]);
  expect(all.flatMap(aliasesOf).filter((word) => word !== word.toLowerCase())).toEqual([]);
});
