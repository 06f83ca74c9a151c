import type { Unit } from '../../catalog/definitions.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { inputsOf, type UndefinedMetric } from '../../catalog/rules.ts';
import { type Measure, UNIDENTIFIED } from '../../catalog/tables.ts';
import { MAX_EXACT, SKETCH_STANDARD_ERROR } from '../../columns/sketch.ts';
import { attributeOf, type Plan } from '../plan/plan-report.ts';
import { sumNameOf } from '../plan/plan-sums.ts';
import type { ReportHeader, ReportQuery, ReportSettings, ReportWarning } from '../query/query.ts';
import { text, titles, warn } from '../query/warning.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import { exactSums } from '../sums/group-sums.ts';

/** @param totals of the report, and of the compared one: no row has more users @returns one header per column, in the order of the rows' values */
export function describeHeaders(
  query: ReportQuery,
  settings: ReportSettings,
  totals: readonly Accumulators[],
): ReportHeader[] {
  const unitOf = (unit: Unit | null) => (unit === 'currency' ? settings.currency : unit);
  const dimensions = query.dimensions.map((name): ReportHeader => {
    const { title, type, unit, description } = dimensionOf(name);
    return { name, title, role: 'dimension', type, unit: unitOf(unit), description };
  });
  const metrics = query.metrics.map((name): ReportHeader => {
    const definition = metricOf(name);
    const { title, type, unit, description } = definition;
    const header: ReportHeader = { name, title, role: 'metric', type, unit: unitOf(unit), description };
    const isEstimate = inputsOf(definition).shoppersOf.some((table) =>
      totals.some((facts) => facts.shopperCount(table, 1) > MAX_EXACT),
    );
    return isEstimate ? { ...header, standardError: SKETCH_STANDARD_ERROR } : header;
  });
  return [...dimensions, ...metrics];
}

/** @returns the warnings that the request alone decides: one per metric that is undefined, at least in some experiences, or has no total because of a metric filter */
export function warnUndefined(plan: Plan): ReportWarning[] {
  const warnings = [
    ...[...plan.undefinedMetrics].map(([field, reason]) => warnNull(field, reason)),
    ...[...plan.partialMetrics].flatMap(([field, covered]): ReportWarning[] => {
      if (plan.undefinedMetrics.has(field)) return [];
      const others = plan.experiences.filter((experience) => !covered.includes(experience));
      const where = text`undefined in ${others.join(' and ')}: it covers only ${covered.join(' and ')}`;
      return [warn('NOT_IN_ALL_EXPERIENCES', [field], text`${titles([field])} is ${where}.`)];
    }),
  ];
  if (!plan.market || plan.groupConditions.length === 0 || !plan.query.metrics.includes('share_of_voice'))
    return warnings;
  const share = titles(['share_of_voice']);
  const phrase = text`${share} has no total in reports with a metric filter: market impressions cannot be restricted to the rows that pass the filter.`;
  return [...warnings, warn('NO_TOTAL_WITH_METRIC_FILTER', ['share_of_voice'], phrase)];
}

function warnNull(field: MetricName, { code, drop, definedIn, experiences }: UndefinedMetric): ReportWarning {
  const subject = titles([field]);
  if (code === 'NOT_IN_EXPERIENCE') {
    const where = text`undefined in ${experiences.join(' and ')}: request it in ${definedIn.join(' and ')}`;
    return warn(code, [field], text`${subject} is ${where}, or drop it.`);
  }
  const those = drop.length === 1 ? 'that dimension' : 'those dimensions';
  const when = text`undefined when a report groups or filters by ${titles(drop)}`;
  return warn(
    code,
    [field],
    text`${subject} is ${when}: drop ${those} from dimensions and filters, or drop the metric.`,
    drop,
  );
}

/** @param facts all of a report, as group 1 @returns one warning per metric that counts users where some rows of facts have no user ids (WITHOUT_USER_IDS) */
export function warnUnidentified(plan: Plan, facts: Accumulators): ReportWarning[] {
  return plan.query.metrics.flatMap((field): ReportWarning[] =>
    inputsOf(metricOf(field)).shoppersOf.flatMap((table) => {
      const { part, whole } = UNIDENTIFIED[table];
      const sumOf = (name: Measure) => exactSums(facts.sums(sumNameOf(plan, field, name)))(1);
      const [missing, all] = [sumOf(part), sumOf(whole)]; // `all` is less where transactions were returned
      if (missing <= 0) return [];
      const ofAll = all >= missing ? ` of ${all.toLocaleString('en-US')}` : '';
      const what = text`${missing.toLocaleString('en-US')}${ofAll} ${NOUNS[table]}`;
      const phrase = text`${titles([field])} leaves out ${what}, whose rows have no user ids; it is null where none has.`;
      return [warn('WITHOUT_USER_IDS', [field], phrase)];
    }),
  );
}

const NOUNS = { delivery: 'impressions', conversions: 'exposed transactions' } as const;

/**
 * @param groups all rows of the report, not only the page
 * @returns one warning per
 * - metric that is undefined and so null in every row (the codes of `plan.undefinedMetrics`),
 * - metric that is undefined in some experiences of the report (NOT_IN_ALL_EXPERIENCES),
 * - metric that has no total because of a metric filter (NO_TOTAL_WITH_METRIC_FILTER),
 * - attribute that is null in a row of several ad groups or campaigns (SEVERAL_AD_GROUPS, SEVERAL_CAMPAIGNS).
 */
export function warnRows(plan: Plan, facts: Accumulators, groups: Uint32Array): ReportWarning[] {
  const warnings = warnUndefined(plan);
  for (const field of plan.query.metrics) {
    const attribute = attributeOf(field);
    if (attribute === undefined || !groups.some((group) => facts.onlyEntity(attribute.entity, group) === null))
      continue;
    const [code, entity, dimension] =
      attribute.entity === 'ad_group'
        ? (['SEVERAL_AD_GROUPS', 'ad group', 'ad_group_id'] as const)
        : (['SEVERAL_CAMPAIGNS', 'campaign', 'campaign_id'] as const);
    const advice = text`add the dimension ${titles([dimension])} to see it`;
    const phrase = text`${titles([field])} is null where a row has facts of more than one ${entity}: ${advice}.`;
    warnings.push(warn(code, [field], phrase));
  }
  return warnings;
}
