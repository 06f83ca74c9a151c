import { type MetricName, metricOf } from '../../catalog/metrics.ts';
import { inputsOf, type UndefinedMetric } from '../../catalog/rules.ts';
import { type Measure, UNIDENTIFIED } from '../../catalog/tables.ts';
import { isTooFew } from '../finish/derive-metrics.ts';
import { attributeOf } from '../plan/plan-report.ts';
import { sumNameOf } from '../plan/plan-sums.ts';
import type { ReportWarning } from '../query/query.ts';
import type { Accumulators } from '../scan/accumulate.ts';
import { setsOf } from '../scan/count-shoppers.ts';
import { exactSums } from '../sums/group-sums.ts';
import type { DescribedReport } from './described-report.ts';
import { text, titles, warn, warnAlike } from './warning.ts';

const NOUNS = { delivery: 'impressions', conversions: 'exposed transactions' } as const;

type Metrics = readonly [MetricName, ...MetricName[]];

const subjectOf = (fields: Metrics) => text`${titles(fields)} ${fields.length === 1 ? 'is' : 'are'}`;

/** @returns the warnings that the request alone decides: of metrics that are undefined, at least in some experiences, or have no total because of a metric filter */
export function warnUndefined({ plan }: DescribedReport): ReportWarning[] {
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

/** @returns warnings of attributes that are null in a row of several ad groups or campaigns (SEVERAL_AD_GROUPS, SEVERAL_CAMPAIGNS) */
export function warnSeveral({ plan, found }: DescribedReport): ReportWarning[] {
  if (found === undefined) return [];
  const { rows, kept } = found; // all rows of the report, not only the page
  const several = plan.query.metrics.flatMap((field) => {
    const entity = attributeOf(field)?.entity;
    const isNull = entity && kept.some((group) => rows.facts.onlyEntity(entity, group) === null);
    return isNull ? [[field, entity] as const] : [];
  });
  return warnAlike(several, (fields, entity) => {
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
}

/** @returns warnings of metrics that are null in the totals or a row because of the setting minUsers (FEW_USERS) */
export function warnFewUsers({ plan, widest, settings: { minUsers = 0 }, found }: DescribedReport): ReportWarning[] {
  if (found === undefined || minUsers === 0) return [];
  const { rows, total, kept } = found;
  const hidden = plan.query.metrics.filter((field) =>
    inputsOf(metricOf(field)).shoppersOf.some((table) => {
      const ofTable = [...plan.scans, ...widest.scans].filter((scan) => scan.table === table);
      const sets = metricOf(field).kind === 'ratio' ? ofTable.flatMap(setsOf) : [table]; // a ratio may be of fewer days
      const isHidden = (facts: Accumulators) => (group: number) =>
        sets.some((set) => isTooFew(facts.shopperCount(set, group), { minUsers }));
      return isHidden(total.facts)(1) || kept.some(isHidden(rows.facts));
    }),
  );
  return warnAlike(
    hidden.map((field) => [field, minUsers] as const),
    (fields) => {
      const phrase = text`${subjectOf(fields)} null where ${fields.length === 1 ? 'it counts' : 'they count'} fewer than ${minUsers.toLocaleString('en-US')} users, but not none.`;
      return warn('FEW_USERS', fields, phrase);
    },
  );
}

/** @returns warnings of metrics that count users where some rows of facts have no user ids (WITHOUT_USER_IDS) */
export function warnUnidentified({ widest: plan, found }: DescribedReport): ReportWarning[] {
  if (found === undefined) return [];
  const { facts } = found.total;
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
