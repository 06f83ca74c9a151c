import { describe, expect, test } from 'vitest';
import { compatibilityRules } from '../../shared/catalog/describe/compatibility.ts';
import {
  describedDimensions,
  describedMetrics,
  describedOperators,
} from '../../shared/catalog/describe/describe-fields.ts';
import { DIMENSION_NAMES, type DimensionName } from '../../shared/catalog/dimensions.ts';
import { METRIC_NAMES, type MetricName } from '../../shared/catalog/metrics.ts';
import { OPERATOR_NAMES } from '../../shared/catalog/operators.ts';
import { explainUndefined } from '../../shared/catalog/rules.ts';
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
