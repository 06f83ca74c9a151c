import type { Unit } from '../../catalog/definitions.ts';
import { dimensionOf } from '../../catalog/dimensions.ts';
import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { inputsOf, type UndefinedMetric } from '../../catalog/rules.ts';
import { type Measure, UNIDENTIFIED } from '../../catalog/tables.ts';
import { MAX_EXACT, SKETCH_STANDARD_ERROR } from '../../columns/sketch.ts';
import { attributeOf, type Plan } from '../plan/plan-report.ts';
import { sumNameOf } from '../plan/plan-sums.ts';
import type { ReportHeader, ReportQuery, ReportSettings, ReportWarning } from '../query/query.ts';
import { text, titles, warn, warnAlike } from '../query/warning.ts';
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

/** @returns the warnings that the request alone decides: of metrics that are undefined, at least in some experiences, or have no total because of a metric filter */
export function warnUndefined(plan: Plan): ReportWarning[] {
  const partial = [...plan.partialMetrics].filter(([field]) => !plan.undefinedMetrics.has(field));
  const warnings = [
    ...warnAlike(plan.undefinedMetrics, warnNull),
    ...warnAlike(partial, (fields, covered) => {
      const others = plan.experiences.filter((experience) => !covered.includes(experience));
      const where = text`undefined in ${others.join(' and ')}: ${fields.length === 1 ? 'it covers' : 'they cover'} only ${covered.join(' and ')}`;
      return warn('NOT_IN_ALL_EXPERIENCES', fields, text`${subjectOf(fields)} ${where}.`);
    }),
  ];
  if (!plan.market || plan.groupConditions.length === 0 || !plan.query.metrics.includes('share_of_voice'))
    return warnings;
  const share = titles(['share_of_voice']);
  const phrase = text`${share} has no total in reports with a metric filter: market impressions cannot be restricted to the rows that pass the filter.`;
  return [...warnings, warn('NO_TOTAL_WITH_METRIC_FILTER', ['share_of_voice'], phrase)];
}

type Metrics = readonly [MetricName, ...MetricName[]];

const subjectOf = (fields: Metrics) => text`${titles(fields)} ${fields.length === 1 ? 'is' : 'are'}`;

function warnNull(fields: Metrics, { code, drop, definedIn, experiences }: UndefinedMetric): ReportWarning {
  const [subject, it] = [subjectOf(fields), fields.length === 1 ? 'it' : 'them'];
  if (code === 'NOT_IN_EXPERIENCE') {
    const where = text`undefined in ${experiences.join(' and ')}: request ${it} in ${definedIn.join(' and ')}`;
    return warn(code, fields, text`${subject} ${where}, or drop ${it}.`);
  }
  const those = drop.length === 1 ? 'that dimension' : 'those dimensions';
  const when = text`undefined when a report groups or filters by ${titles(drop)}`;
  const advice = `drop ${those} from dimensions and filters, or drop the ${fields.length === 1 ? 'metric' : 'metrics'}`;
  return warn(code, fields, text`${subject} ${when}: ${advice}.`, drop);
}

/** @param facts all of a report, as group 1 @returns warnings of metrics that count users where some rows of facts have no user ids (WITHOUT_USER_IDS) */
export function warnUnidentified(plan: Plan, facts: Accumulators): ReportWarning[] {
  const parts = plan.query.metrics.flatMap((field) =>
    inputsOf(metricOf(field)).shoppersOf.flatMap((table) => {
      const { part, whole } = UNIDENTIFIED[table];
      const sumOf = (name: Measure) => exactSums(facts.sums(sumNameOf(plan, field, name)))(1);
      const [missing, all] = [sumOf(part), sumOf(whole)]; // `all` is less where transactions were returned
      if (missing <= 0) return [];
      const ofAll = all >= missing ? ` of ${all.toLocaleString('en-US')}` : '';
      return [[field, `${missing.toLocaleString('en-US')}${ofAll} ${NOUNS[table]}`] as const];
    }),
  );
  return warnAlike(parts, (fields, part) => {
    const [leave, are] = fields.length === 1 ? ['leaves', 'it is'] : ['leave', 'they are'];
    const phrase = text`${titles(fields)} ${leave} out ${part}, whose rows have no user ids; ${are} null where none has.`;
    return warn('WITHOUT_USER_IDS', fields, phrase);
  });
}

const NOUNS = { delivery: 'impressions', conversions: 'exposed transactions' } as const;

/**
 * @param groups all rows of the report, not only the page
 * @returns the warnings of `warnUndefined`, and of attributes that are null in a row of several ad groups or campaigns (SEVERAL_AD_GROUPS, SEVERAL_CAMPAIGNS)
 */
export function warnRows(plan: Plan, facts: Accumulators, groups: Uint32Array): ReportWarning[] {
  const several = plan.query.metrics.flatMap((field) => {
    const entity = attributeOf(field)?.entity;
    const isNull = entity && groups.some((group) => facts.onlyEntity(entity, group) === null);
    return isNull ? [[field, entity] as const] : [];
  });
  const ofAttributes = warnAlike(several, (fields, entity) => {
    const [code, name, dimension] =
      entity === 'ad_group'
        ? (['SEVERAL_AD_GROUPS', 'ad group', 'ad_group_id'] as const)
        : (['SEVERAL_CAMPAIGNS', 'campaign', 'campaign_id'] as const);
    const advice = text`add the dimension ${titles([dimension])} to see ${fields.length === 1 ? 'it' : 'them'}`;
    return warn(
      code,
      fields,
      text`${subjectOf(fields)} null where a row has facts of more than one ${name}: ${advice}.`,
    );
  });
  return [...warnUndefined(plan), ...ofAttributes];
}
