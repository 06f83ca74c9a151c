import { MAX_REPORT_DAYS } from '../../../contract/report/report-limits.ts';
import {
  LINK_END,
  parseCompare,
  parseFilter,
  parseSort,
  type TextCompare,
  writeLink,
  writeReport,
} from '../../../contract/report/report-text.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import type { Catalogue } from './catalogue.ts';
import { isRange } from './period.ts';
import {
  CHART_KINDS,
  EMPTY_QUESTION,
  type FieldFilter,
  isCompleteFilter,
  nameIn,
  type Question,
  type SortEntry,
} from './question.ts';

/** @returns the question as a query for a link's fragment, which requests for the page do not contain */
export function writeQuestion(question: Question): string {
  const { advertisers, period, chart, ...report } = question;
  const query = writeReport({ ...report, ...period, advertiserIds: advertisers });
  if (chart !== 'auto') query.set('chart', chart);
  return writeLink(query);
}

interface ReadLink {
  readonly question: Question;
  /** The parts of the link that do not exist or were cut, and so are not in the question. */
  readonly leftOut: readonly string[];
}

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
  const leftOut: string[] = [];
  const known = new Set(['start', 'end', 'filter', LINK_END.name]);
  if (query.get(LINK_END.name) !== LINK_END.value) leftOut.push('End of the link: the last part may be cut, too');
  const read = <Value>(name: string, title: string, parse: (item: string) => Value | undefined): Value | undefined => {
    known.add(name);
    const given = query.get(name);
    const value = given === null ? undefined : parse(given);
    if (given !== null && value === undefined) leftOut.push(`${title} “${given}”`);
    return value;
  };
  const readList = <Value>(name: string, title: string, parse: (item: string) => Value | undefined): Value[] => {
    known.add(name);
    return (query.get(name)?.split(',') ?? []).flatMap((item) => {
      const value = parse(item);
      if (value === undefined) leftOut.push(`${title} “${item}”`);
      return value === undefined ? [] : [value];
    });
  };

  const { experience, period, chart } = EMPTY_QUESTION;
  const dates = { startDate: query.get('start') ?? period.startDate, endDate: query.get('end') ?? period.endDate };
  const isPeriod = isRange(dates, MAX_REPORT_DAYS, catalogue.calendar);
  if (!isPeriod) leftOut.push(`Period “${dates.startDate} to ${dates.endDate}”`);
  const asked = read('experience', 'Experience', (name) => catalogue.choices.find((other) => other === name));
  const account = read('account', 'Account', (id) => accountIds.find((other) => String(other) === id));
  const isOwn = (id: string) => {
    if (account === undefined) return !query.has('account') && /^\d+$/.test(id); // the API checks the ids
    return advertiserIds?.includes(Number(id)) ?? /^\d+$/.test(id);
  };
  const advertisers = readList('advertisers', 'Advertiser', (id) => (isOwn(id) ? Number(id) : undefined));
  const metrics = unique(readList('metrics', 'Metric', (name) => catalogue.metric(name)?.name));
  const dimensions = unique(readList('by', 'Dimension', (name) => catalogue.dimension(name)?.name));
  const question = {
    experience: asked ?? experience,
    account,
    advertisers: unique(advertisers),
    period: isPeriod ? dates : period,
    compare: read('compare', 'Comparison', (text) => readCompare(text, catalogue.calendar)),
    metrics,
    dimensions,
    filters: query.getAll('filter').flatMap((filter) => readFilter(filter, catalogue, leftOut)),
    sort: readList('sort', 'Sort order', (entry) => readSort(entry, [...metrics, ...dimensions])),
    chart: read('chart', 'Chart', (name) => nameIn(CHART_KINDS, name)) ?? chart,
  };
  const unknown = [...query.keys()].filter((name) => !known.has(name)).map((name) => `Part “${name}”`);
  return { question, leftOut: unique([...unknown, ...leftOut]) };
}

function readCompare(text: string, calendar: Calendar): TextCompare | undefined {
  const compare = parsed(() => parseCompare(text));
  return typeof compare !== 'object' || isRange(compare, MAX_REPORT_DAYS, calendar) ? compare : undefined;
}

const EQUALITY = ['EQUALS', 'IN', 'NOT_EQUALS', 'NOT_IN'];

/** Adds what it leaves out to `leftOut`: the filter, or values that the field's closed set does not have. */
function readFilter(text: string, catalogue: Catalogue, leftOut: string[]): FieldFilter[] {
  const filter = text.includes('\uFFFD') ? undefined : parsed(() => parseFilter(text)); // cut within a character
  const field = filter && catalogue.field(filter.field);
  if (filter === undefined || field === undefined || !isCompleteFilter(filter, catalogue)) {
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
  if (!requested.includes(field)) return undefined;
  return { field, order, ...(by && { by }) };
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
