import { isCustom } from '../custom-fields.ts';
import type { MetricDefinition } from '../definitions.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from '../dimensions.ts';
import { METRIC_NAMES, type MetricName, metricOf } from '../metrics.ts';
import { columnHasValues, dimensionsWithoutMeaning, experiencesOf, rowSourcesOf } from '../rules.ts';
import { EXPERIENCES, type Experience, tableHas } from '../tables.ts';
import type { WarningCode } from '../warnings.ts';

/**
 * Fields that have no value, or not in every row, in some reports. A rule applies to a report in one of its experiences, if the report groups or filters by one of
 * `dimensions` (whatever it groups by, if that is empty), and does not group by any of `unless`.
 */
interface CompatibilityRule {
  readonly code: Extract<
    WarningCode,
    'NOT_IN_EXPERIENCE' | 'NOT_AT_THIS_GRAIN' | 'SEVERAL_AD_GROUPS' | 'SEVERAL_CAMPAIGNS'
  >;
  /** `null`: the fields are null in every row. `someNull`: in those rows to which the reason applies. */
  readonly effect: 'null' | 'someNull';
  readonly fields: readonly (MetricName | DimensionName)[];
  readonly experiences: readonly Experience[];
  readonly dimensions: readonly DimensionName[];
  readonly unless: readonly DimensionName[];
  /** Why, in a sentence for people. */
  readonly reason: string;
}

/** @returns the rules by which fields have no values, in an experience or together with other fields */
export function compatibilityRules(): CompatibilityRule[] {
  return [...experienceRules(), ...grainRules(), ...attributeRules()];
}

function experienceRules(): CompatibilityRule[] {
  return EXPERIENCES.flatMap((experience) => {
    const metrics = METRIC_NAMES.filter((name) => !experiencesOf(name).includes(experience));
    const dimensions = DIMENSION_NAMES.filter((name) => !columnHasValues(dimensionOf(name).base, experience));
    const fields = [...metrics, ...dimensions];
    if (fields.length === 0) return [];
    const reason = `Has no meaning in ${experience}.`;
    return [
      {
        code: 'NOT_IN_EXPERIENCE',
        effect: 'null',
        fields,
        experiences: [experience],
        dimensions: [],
        unless: [],
        reason,
      } as const,
    ];
  });
}

/** One rule for all metrics that are undefined with the same dimensions for the same reason. */
function grainRules(): CompatibilityRule[] {
  const rules = new Map<string, { fields: MetricName[]; dimensions: readonly DimensionName[]; reason: string }>();
  for (const name of METRIC_NAMES) {
    const reasons = Map.groupBy(dimensionsWithoutMeaning(name), (dimension) => explainGrain(metricOf(name), dimension));
    for (const [reason, dimensions] of reasons) {
      const key = [reason, ...dimensions].join();
      const rule = rules.get(key) ?? { fields: [], dimensions, reason };
      rule.fields.push(name);
      rules.set(key, rule);
    }
  }
  return [...rules.values()].map((rule) => ({
    code: 'NOT_AT_THIS_GRAIN',
    effect: 'null',
    experiences: EXPERIENCES,
    unless: [],
    ...rule,
  }));
}

function explainGrain(definition: MetricDefinition, dimension: DimensionName): string {
  const tables = rowSourcesOf(definition);
  const { base } = dimensionOf(dimension);
  if (tables.includes('plan')) return 'Budgets are planned per ad group and day; nothing finer has a plan.';
  const lacking = tables.filter((table) => !tableHas(table, base));
  if (isCustom(base)) return `Rows of ${lacking.join(' and ')} have no such column.`;
  return tables.includes('activity')
    ? 'Live and scheduled time are recorded per ad group and hour, and by nothing finer.'
    : 'Delivery is not recorded by what was purchased later, or where.';
}

function attributeRules(): CompatibilityRule[] {
  const attributesOf = (entity: 'ad_group' | 'campaign') =>
    METRIC_NAMES.filter((name) => {
      const definition = metricOf(name);
      return definition.kind === 'attribute' && definition.entity === entity;
    });
  const common = { effect: 'someNull', experiences: EXPERIENCES, dimensions: [] } as const;
  return [
    {
      ...common,
      code: 'SEVERAL_AD_GROUPS',
      fields: attributesOf('ad_group'),
      unless: ['ad_group_id'],
      reason: 'Null in rows with more than one ad group; group by ad_group_id to have one per row.',
    },
    {
      ...common,
      code: 'SEVERAL_CAMPAIGNS',
      fields: attributesOf('campaign'),
      unless: ['campaign_id', 'ad_group_id'],
      reason: 'Null in rows with more than one campaign; group by campaign_id to have one per row.',
    },
  ];
}
