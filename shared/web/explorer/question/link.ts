import { MAX_REPORT_DAYS } from '../../../contract/report/report-limits.ts';
import { parseFilter, parseSort, writeFilter, writeQuery, writeSort } from '../../../contract/report/report-text.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import type { Catalogue } from './catalogue.ts';
import { nameIn } from './name-in.ts';
import { COMPARISON_TITLES, isRange, type Period, PRESETS } from './period.ts';
import { CHART_KINDS, EMPTY_QUESTION, type FieldFilter, type Question, type SortEntry } from './question.ts';

/** @returns the question as a query for a link's fragment, which requests for the page do not contain */
export function writeQuestion(question: Question): string {
  const { experience, account, advertisers, period, compare, metrics, dimensions, filters, sort, chart } = question;
  const query = new URLSearchParams({ experience });
  if (account !== undefined) query.set('account', String(account));
  if (advertisers.length > 0) query.set('advertisers', advertisers.join(','));
  query.set('period', 'preset' in period ? period.preset : `${period.startDate}..${period.endDate}`);
  if (compare !== undefined) query.set('compare', compare);
  if (metrics.length > 0) query.set('metrics', metrics.join(','));
  if (dimensions.length > 0) query.set('by', dimensions.join(','));
  for (const filter of filters) query.append('filter', writeFilter(filter));
  if (sort.length > 0) query.set('sort', sort.map(writeSort).join(','));
  if (chart !== 'auto') query.set('chart', chart);
  return writeQuery(query);
}

/** @returns the experience of a query; the default for a text that must not become part of URLs and code */
export function experienceOf(text: string): string {
  const experience = new URLSearchParams(text).get('experience') ?? '';
  return /^\w+$/.test(experience) ? experience : EMPTY_QUESTION.experience;
}

interface ReadLink {
  readonly question: Question;
  /** The parts of the link that do not exist or were cut, and so are not in the question. */
  readonly leftOut: readonly string[];
}

const PARTS = ['experience', 'account', 'advertisers', 'period', 'compare', 'metrics', 'by', 'filter', 'sort', 'chart'];

/**
 * @param text the query of a link
 * @param accountIds the accounts of the key
 * @param advertiserIds the advertisers of the question's account; undefined while they are being read
 * @returns the question; parts that are missing have their default
 */
export function readLink(
  text: string,
  catalogue: Catalogue,
  accountIds: readonly number[],
  advertiserIds: readonly number[] | undefined,
): ReadLink {
  const query = new URLSearchParams(text);
  const leftOut = [...query.keys()].filter((name) => !PARTS.includes(name)).map((name) => `Part “${name}”`);
  const read = <Value>(name: string, title: string, parse: (item: string) => Value | undefined): Value | undefined => {
    const given = query.get(name);
    const value = given === null ? undefined : parse(given);
    if (given !== null && value === undefined) leftOut.push(`${title} “${given}”`);
    return value;
  };
  const readList = <Value>(name: string, title: string, parse: (item: string) => Value | undefined): Value[] =>
    (query.get(name)?.split(',') ?? []).flatMap((item) => {
      const value = parse(item);
      if (value === undefined) leftOut.push(`${title} “${item}”`);
      return value === undefined ? [] : [value];
    });

  const { experience, period, chart } = EMPTY_QUESTION;
  const known = read('experience', 'Experience', (name) => catalogue.choices.find((other) => other === name));
  const account = read('account', 'Account', (id) => accountIds.find((other) => String(other) === id));
  const isOwn = (id: string) => advertiserIds?.includes(Number(id)) ?? /^\d+$/.test(id);
  const advertisers = readList(
    'advertisers',
    'Advertiser',
    (id) => (account !== undefined && isOwn(id) ? Number(id) : undefined), // the form shows those of one account only
  );
  const metrics = unique(readList('metrics', 'Metric', (name) => catalogue.metric(name)?.name));
  const dimensions = unique(readList('by', 'Dimension', (name) => catalogue.dimension(name)?.name));
  const question = {
    experience: known ?? experience,
    account,
    advertisers: unique(advertisers),
    period: read('period', 'Period', (given) => readPeriod(given, catalogue.calendar)) ?? period,
    compare: read('compare', 'Comparison', (name) => nameIn(COMPARISON_TITLES, name)),
    metrics,
    dimensions,
    filters: query.getAll('filter').flatMap((filter) => readFilter(filter, catalogue, leftOut)),
    sort: readList('sort', 'Sort order', (entry) => readSort(entry, [...metrics, ...dimensions])),
    chart: read('chart', 'Chart', (name) => nameIn(CHART_KINDS, name)) ?? chart,
  };
  return { question, leftOut: unique(leftOut) };
}

function readPeriod(text: string, calendar: Calendar): Period | undefined {
  const preset = nameIn(PRESETS, text);
  if (preset !== undefined) return { preset };
  const [startDate = '', endDate = ''] = text.split('..');
  return isRange(startDate, endDate, MAX_REPORT_DAYS, calendar) ? { startDate, endDate } : undefined;
}

const EQUALITY = ['EQUALS', 'IN', 'NOT_EQUALS', 'NOT_IN'];

/** Adds what it leaves out to `leftOut`: the filter, or values that the field's closed set does not have. */
function readFilter(text: string, catalogue: Catalogue, leftOut: string[]): FieldFilter[] {
  const filter = parsed(() => parseFilter(text));
  const field = filter && catalogue.field(filter.field);
  if (filter === undefined || field === undefined || catalogue.operator(filter.operator) === undefined) {
    leftOut.push(`Filter “${text}”`);
    return [];
  }
  const { operator, values } = filter;
  const closed = EQUALITY.includes(operator) ? field.values?.map(String) : undefined;
  const unknown = closed === undefined ? [] : values.filter((value) => !closed.includes(value));
  leftOut.push(...unknown.map((value) => `Value “${value}” of the filter by ${field.title}`));
  const kept = values.filter((value) => !unknown.includes(value));
  return kept.length === 0 && unknown.length > 0 ? [] : [{ ...filter, values: kept }];
}

/** @returns undefined for a text that is malformed */
function parsed<Value>(parse: () => Value): Value | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readSort(text: string, requested: readonly string[]): SortEntry | undefined {
  const { field = '', order = 'ASC', by } = parsed(() => parseSort(text)) ?? {};
  if (!requested.includes(field) || (by !== undefined && by !== 'change')) return undefined;
  return { field, order, ...(by && { by }) };
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
