import { closedValuesOf } from '../../catalog/closed-values.ts';
import { suggestNames } from '../../catalog/describe/suggest.ts';
import { type DimensionName, dimensionOf, isDimension } from '../../catalog/dimensions.ts';
import { isMetric, type MetricName, metricOf } from '../../catalog/metrics.ts';
import { experiencesIn } from '../../catalog/tables.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import { quoteText } from '../../lib/quote-text.ts';
import { compileFilter, EQUALITY } from '../plan/conditions.ts';
import { padValues } from '../plan/plan-report.ts';
import type { Filter, ReportQuery, ReportWarning } from '../query/query.ts';
import type { SeenValues } from '../scan/seen-values.ts';
import type { DescribedReport } from './described-report.ts';
import { MAX_NAMED, type Phrase, text, titles, warn } from './warning.ts';

/** @returns per filter that cannot select what was probably meant, or compares with what the facts do not have, a warning */
export function warnFilters({ plan: { query }, found }: DescribedReport): ReportWarning[] {
  return [
    ...query.filters.flatMap((filter) => checkFilter(filter, query)),
    ...(found?.seen.absent() ?? []).flatMap(warnAbsent),
  ];
}

/** @returns a warning of a filter that compares with values that cannot occur, or that is between two bounds in the wrong order */
function checkFilter(filter: Filter, query: ReportQuery): ReportWarning[] {
  const { field } = filter;
  const reversed = explainReversed(filter, query.hasTextIds ? filter : padValues(filter));
  if (reversed !== undefined) return [warn('EMPTY_RANGE', [field], reversed)];
  const impossible = explainImpossible(filter, query);
  return impossible === undefined ? [] : [warn('VALUE_CANNOT_OCCUR', [field], impossible)];
}

function warnAbsent({
  field,
  wrong,
  unknown,
  existing,
  all,
}: ReturnType<SeenValues['absent']>[number]): ReportWarning[] {
  const reason =
    all.length > 0
      ? `: it is ${all.join(', ')}.`
      : ', where it differs in case, white space or composition: text is compared exactly.';
  const advice = existing.length === 0 ? '' : ` Did you mean ${quoteValues(existing)}?`;
  const where = text`${titles([field])} is never ${quoteValues(wrong)} in the facts of this report`;
  const nothing = text`${quoteValues(unknown)} matches no ${titles([field])} in the facts of this report.`;
  return [
    ...(wrong.length === 0 ? [] : [warn('VALUE_NOT_FOUND', [field], text`${where}${reason}${advice}`)]),
    ...(unknown.length === 0 ? [] : [warn('VALUE_NOT_FOUND', [field], nothing)]),
  ];
}

/** @returns the texts in quotation marks, not all of them if they are many */
function quoteValues(values: readonly string[]): string {
  const quoted = values.slice(0, MAX_NAMED).map(quoteText);
  return values.length > MAX_NAMED ? `${quoted.join(', ')}, …` : quoted.join(' or ');
}

function explainReversed({ field, operator, values }: Filter, padded: Filter): Phrase | undefined {
  const [first, second] = values;
  if (operator !== 'BETWEEN' || first === undefined || second === undefined) return undefined;
  const isNumber = ['integer', 'decimal'].includes(typeOf(field));
  const [lower = first, upper = second] = padded.values;
  const order = isNumber ? Number(first) - Number(second) : compareKeys(lower, upper);
  if (order <= 0) return undefined;
  return text`${titles([field])} is never between ${quoteText(first)} and ${quoteText(second)}: the lower bound comes first. Did you mean ${quoteText(second)} and ${quoteText(first)}?`;
}

function explainImpossible(filter: Filter, query: ReportQuery): Phrase | undefined {
  const { field, operator, values } = filter;
  const isExperience = field === 'experience_name'; // which is null only for planned cost of all experiences
  const closed = isExperience ? experiencesIn(query.experience) : closedValuesOf(field);
  if (closed === undefined) return undefined;
  const existing = isExperience && query.experience !== 'all' ? closed : [null, ...closed];
  const type = typeOf(field);
  const passesNone = (given: Filter) => {
    const { passes } = compileFilter(given, type);
    return !existing.some((value) => passes(value));
  };
  const wrong = EQUALITY.has(operator)
    ? values.filter((value) => passesNone({ field, operator: 'EQUALS', values: [value] }))
    : passesNone(filter)
      ? values
      : [];
  const [first] = wrong;
  if (first === undefined) return undefined;
  const [near] = type === 'text' ? suggestNames(first.trim(), closed.map(String)) : [];
  const advice = near === undefined ? '' : ` Did you mean ${quoteText(near)}?`;
  const possible = field === 'hour' ? 'from 0 to 23' : `${closed.length === 1 ? '' : 'one of '}${closed.join(', ')}`;
  const where = isExperience ? ' in this report' : '';
  const words = operator.toLowerCase().replaceAll('_', ' ');
  const relation = EQUALITY.has(operator) ? '' : { detail: `${operator} `, message: `${words} ` };
  return text`${titles([field])} is never ${relation}${quoteValues(wrong)}${where}: it is ${possible}.${advice}`;
}

function typeOf(field: MetricName | DimensionName) {
  if (isDimension(field)) return dimensionOf(field).type;
  return isMetric(field) ? metricOf(field).type : 'text';
}
