import { describe, expect, test } from 'vitest';
import { aliasesOf, fieldsFor } from '../../shared/catalog/describe/aliases.ts';
import { compatibilityRules } from '../../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../../shared/catalog/describe/describe-fields.ts';
import { suggestNames } from '../../shared/catalog/describe/suggest.ts';
import { DIMENSION_NAMES, type DimensionName } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, type MetricName } from '../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES } from '../../shared/catalog/operators.ts';
import { explainUndefined, fieldsWithoutData } from '../../shared/catalog/rules.ts';
import { EXPERIENCES, type Experience } from '../../shared/catalog/tables.ts';

const rules = compatibilityRules();

/** Applies a rule as the explorer does, without code for single fields. */
const applies = (
  rule: ReturnType<typeof compatibilityRules>[number],
  experience: Experience,
  dimensions: readonly DimensionName[],
): boolean =>
  rule.experiences.includes(experience) &&
  (rule.dimensions.length === 0 || rule.dimensions.some((name) => dimensions.includes(name))) &&
  !rule.unless.some((name) => dimensions.includes(name));

const nullCodes = (metric: MetricName, experience: Experience, dimensions: readonly DimensionName[]): string[] =>
  rules
    .filter(({ effect, fields }) => effect === 'null' && fields.includes(metric))
    .filter((rule) => applies(rule, experience, dimensions))
    .map(({ code }) => code);

describe('the rules as data', () => {
  test.each(EXPERIENCES)(
    'name in %s exactly the metrics that a report returns as null, by every dimension',
    (experience) => {
      const different = METRIC_NAMES.flatMap((metric) =>
        DIMENSION_NAMES.flatMap((dimension) => {
          const undefinedBy = explainUndefined(metric, [experience], [dimension])?.code;
          const [first] = nullCodes(metric, experience, [dimension]);
          return undefinedBy === first ? [] : [{ metric, dimension, undefinedBy, first }];
        }),
      );
      expect(different).toEqual([]);
    },
  );

  test('say that keyword has values in pla only', () => {
    const about = rules.filter(({ fields }) => fields.includes('keyword'));
    expect(about.flatMap(({ experiences }) => experiences)).toEqual(['toa', 'carousel']);
  });

  test('say that attributes need one ad group or campaign per row, and which dimension gives that', () => {
    const [rule] = rules.filter(({ fields }) => fields.includes('campaign_budget'));
    if (rule === undefined) throw new Error('there is no rule about campaign_budget');
    expect(rule).toMatchObject({ code: 'SEVERAL_CAMPAIGNS', effect: 'someNull' });
    expect(applies(rule, 'pla', ['daily_date'])).toBe(true);
    expect(applies(rule, 'pla', ['campaign_id', 'daily_date'])).toBe(false);
    expect(applies(rule, 'pla', ['ad_group_id'])).toBe(false);
  });

  test('have a sentence as their reason, and are few, because fields with the same reason share one', () => {
    expect(rules.filter(({ reason }) => !/^[A-Z].*\.$/.test(reason))).toEqual([]);
    expect(rules).toHaveLength(8);
  });
});

test('what has no data follows from the columns that had values, by experience', () => {
  const columns = ['ad_group_id', 'entity_id', 'impressions', 'clicks', 'cost', 'opportunities', 'delivery/users'];
  const withData = new Set(['pla', 'toa'].flatMap((experience) => columns.map((column) => `${experience}/${column}`)));
  const inPla = fieldsWithoutData(withData, 'pla');
  for (const name of [
    'halo_roas',
    'unique_user_conversions',
    'hours_live',
    'share_of_voice',
    'hour',
    'keyword',
    'placement',
  ])
    expect([name, inPla.includes(name)]).toEqual([name, true]);
  for (const name of [
    'frequency',
    'win_rate',
    'pacing',
    'campaign_budget',
    'commodity',
    'week_date',
    'accounts',
    'video_starts',
  ])
    expect([name, inPla.includes(name)]).toEqual([name, false]);
  expect(fieldsWithoutData(withData, 'toa')).toContain('video_starts');
  expect(fieldsWithoutData(withData, 'toa')).not.toContain('keyword'); // it has no meaning there
});

describe('the described fields', () => {
  test('are all metrics, dimensions and operators, each once', () => {
    const sorted = (names: readonly { name: string }[]) => names.map(({ name }) => name).sort();
    expect(sorted(describedMetrics())).toEqual([...METRIC_NAMES].sort());
    expect(sorted(describedDimensions())).toEqual([...DIMENSION_NAMES].sort());
    expect(sorted(describedOperators())).toEqual([...OPERATOR_NAMES].sort());
  });

  test('have values where these are a closed set, and the descriptions of metrics name each of them', () => {
    const closed = [...describedMetrics(), ...describedDimensions()].flatMap(({ name, values }) =>
      values === undefined ? [] : [[name, values.length]],
    );
    expect(Object.fromEntries(closed)).toEqual({
      ad_group_budget_type: 4,
      ad_group_status: 7,
      campaign_budget_type: 4,
      campaign_status: 5,
      experience_name: 3,
      hour: 24,
      weekday: 7,
    });
    for (const { name, description, values = [] } of describedMetrics()) {
      expect([name, values.filter((value) => !description.includes(String(value)))]).toEqual([name, []]);
    }
  });
});

test('each halo_ sum has a direct_ and an other_ part of its type and unit, which are null without purchased products', () => {
  const metrics = describedMetrics();
  const sums = metrics.filter(({ name, kind }) => name.startsWith('halo_') && kind === 'sum');
  expect(sums).toHaveLength(6);
  for (const { name, type, unit } of sums) {
    for (const part of ['direct_', 'other_']) {
      const description = expect.stringContaining('Null where no purchased product is known.');
      const found = metrics.find((metric) => metric.name === name.replace('halo_', part));
      expect(found, part + name).toMatchObject({ kind: 'sum', type, unit, description });
    }
  }
});

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
    ['search-term', DIMENSION_NAMES, ['search_term']],
    ['campaign', DIMENSION_NAMES, ['campaign_name']],
    ['impresions', METRIC_NAMES, ['impressions']],
    ['campaignId', DIMENSION_NAMES, ['campaign_id']],
    ['rate', METRIC_NAMES, ['win_rate', 'measurable_rate', 'viewable_rate']],
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
