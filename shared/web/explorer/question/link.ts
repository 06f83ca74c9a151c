import type { Calendar } from '../../../lib/relative-date.ts';
import type { Catalogue } from './catalogue.ts';
import { MAX_REPORT_DAYS } from './limits.ts';
import { comparisonOf, isPreset, isRange, type Period } from './period.ts';
import { chartKindOf, EMPTY_QUESTION, type FieldFilter, type Question, type SortEntry } from './question.ts';

/** @returns the question as a query, which a link carries in its fragment, so that the request for the page does not contain it */
export function writeQuestion(question: Question): string {
  const { experience, account, advertisers, period, compare, metrics, dimensions, filters, sort, chart } = question;
  const query = new URLSearchParams({ experience });
  if (account !== undefined) query.set('account', String(account));
  if (advertisers.length > 0) query.set('advertisers', advertisers.join(','));
  query.set('period', 'preset' in period ? period.preset : `${period.startDate}..${period.endDate}`);
  if (compare !== 'none') query.set('compare', compare);
  if (metrics.length > 0) query.set('metrics', metrics.join(','));
  if (dimensions.length > 0) query.set('by', dimensions.join(','));
  for (const { field, operator, values } of filters)
    query.append('filter', JSON.stringify([field, operator, ...values]));
  if (sort.length > 0) query.set('sort', sort.map(({ field, order }) => `${field}:${order.toLowerCase()}`).join(','));
  if (chart !== 'auto') query.set('chart', chart);
  return query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** @returns the experience of a query's question; the default in place of a text that cannot be one, because it becomes part of URLs and copied code */
export function experienceOf(text: string): string {
  const experience = new URLSearchParams(text).get('experience') ?? '';
  return /^\w+$/.test(experience) ? experience : EMPTY_QUESTION.experience;
}

/** @returns whether the query names an experience that does not exist, whose place the default takes */
export function hasUnknownExperience(text: string, { experiences }: Catalogue): boolean {
  const experience = new URLSearchParams(text).get('experience') ?? '';
  return experience !== '' && !experiences.includes(experience);
}

/** @returns the question of a query; parts that are missing, malformed or of unknown fields are left out or have their default */
export function readQuestion(text: string, catalogue: Catalogue): Question {
  const query = new URLSearchParams(text);
  const list = (name: string) => (query.get(name) ?? '').split(',').filter((item) => item !== '');
  const ids = (name: string) => list(name).map(Number).filter(Number.isSafeInteger);
  const metrics = unique(list('metrics')).filter((name) => catalogue.metric(name) !== undefined);
  const dimensions = unique(list('by')).filter((name) => catalogue.dimension(name) !== undefined);
  const requested = new Set([...metrics, ...dimensions]);
  const account = ids('account')[0];
  return {
    experience: hasUnknownExperience(text, catalogue) ? EMPTY_QUESTION.experience : experienceOf(text),
    account,
    advertisers: account === undefined ? [] : unique(ids('advertisers')), // the form shows one account's only
    period: readPeriod(query.get('period') ?? '', catalogue.calendar),
    compare: comparisonOf(query.get('compare')),
    metrics,
    dimensions,
    filters: query.getAll('filter').flatMap((filter) => readFilter(filter, catalogue)),
    sort: list('sort')
      .flatMap(readSort)
      .filter(({ field }) => requested.has(field)),
    chart: chartKindOf(query.get('chart')),
  };
}

function readPeriod(text: string, calendar: Calendar): Period {
  if (isPreset(text)) return { preset: text };
  const [startDate = '', endDate = ''] = text.split('..');
  return isRange(startDate, endDate, MAX_REPORT_DAYS, calendar) ? { startDate, endDate } : EMPTY_QUESTION.period;
}

function readFilter(text: string, catalogue: Catalogue): FieldFilter[] {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed) || !parsed.every((item) => typeof item === 'string')) return [];
    const [field = '', operator = '', ...values] = parsed;
    const isKnown = catalogue.field(field) !== undefined && catalogue.operator(operator) !== undefined;
    return isKnown ? [{ field, operator, values }] : [];
  } catch {
    return [];
  }
}

function readSort(text: string): SortEntry[] {
  const [field = '', order] = text.split(':');
  return order === 'asc' || order === 'desc' ? [{ field, order: order === 'asc' ? 'ASC' : 'DESC' }] : [];
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
