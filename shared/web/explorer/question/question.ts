import type { SortValue } from '../../../catalog/compared-values.ts';
import type { TextCompare } from '../../../contract/report/report-text.ts';
import { dayNumber, formatDay } from '../../../lib/calendar.ts';
import type { PeriodDays } from '../../../lib/compared-period.ts';
import { type Catalogue, isSequence } from './catalogue.ts';
import type { Period } from './period.ts';

export interface FieldFilter {
  readonly field: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface SortEntry {
  readonly field: string;
  readonly order: 'ASC' | 'DESC';
  /** Only with a compared period; otherwise by the value. */
  readonly by?: SortValue;
}

/** The kinds of charts with their titles; `auto` chooses by the fields and rows. */
export const CHART_KINDS = {
  auto: 'Automatic',
  line: 'Line',
  bar: 'Bars',
  stack: 'Stacked bars',
  multiples: 'Small multiples',
  heat: 'Heat map',
  scatter: 'Scatter plot',
  none: 'No chart',
} as const;
export type ChartKind = keyof typeof CHART_KINDS;

/** What links, saved questions and requests are made from. It never contains the key. */
export interface Question {
  readonly experience: string;
  /** Account whose advertisers are offered and, unless some are chosen, reported; undefined = all of the key. */
  readonly account: number | undefined;
  readonly advertisers: readonly number[];
  readonly period: Period;
  readonly compare: TextCompare | undefined;
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly filters: readonly FieldFilter[];
  readonly sort: readonly SortEntry[];
  readonly chart: ChartKind;
}

export const EMPTY_QUESTION: Question = {
  experience: 'pla',
  account: undefined,
  advertisers: [],
  period: { startDate: 'latest-27d', endDate: 'latest' },
  compare: undefined,
  metrics: [],
  dimensions: [],
  filters: [],
  sort: [],
  chart: 'auto',
};

export interface ReportRequest extends Period, Pick<Question, 'metrics' | 'dimensions' | 'filters' | 'sort'> {
  readonly advertiserIds: readonly number[];
  readonly compare?: TextCompare;
}

/** @returns the question with other metrics or dimensions; it is no longer sorted by fields that are gone */
export function withFields(question: Question, fields: Partial<Pick<Question, 'metrics' | 'dimensions'>>): Question {
  const next = { ...question, ...fields };
  const requested = new Set([...next.metrics, ...next.dimensions]);
  return { ...next, sort: next.sort.filter(({ field }) => requested.has(field)) };
}

/** @returns the question without these metrics and dimensions; filters of them stay */
export function withoutFields(question: Question, names: readonly string[]): Question {
  const keep = (name: string) => !names.includes(name);
  return withFields(question, {
    metrics: question.metrics.filter(keep),
    dimensions: question.dimensions.filter(keep),
  });
}

/** @returns whether the question can be sent: it has a metric or a dimension. */
export function isComplete(question: Question): boolean {
  return question.metrics.length + question.dimensions.length > 0;
}

/** @returns whether the filter has as many values as its operator takes, not counting empty ones */
export function isCompleteFilter({ operator, values }: FieldFilter, catalogue: Catalogue): boolean {
  const given = values.filter((value) => value !== '').length;
  const arity = catalogue.operator(operator)?.values;
  return arity === 'some' ? given > 0 : given === { none: 0, one: 1, two: 2 }[arity ?? 'none'];
}

/**
 * @param advertiserIds ids of the account's advertisers
 * @returns the request of the question
 * @throws Error if the account has no advertisers, because a request without advertisers is about all of the key's
 */
export function buildRequest(
  question: Question,
  catalogue: Catalogue,
  advertiserIds: readonly number[],
): ReportRequest {
  const { account, advertisers, period, metrics, dimensions, filters, sort, compare } = question;
  if (account !== undefined && advertiserIds.length === 0)
    throw new Error('This account has no advertisers yet. Choose another account.');
  const sorted = sort.length > 0 ? sort : defaultSort(question, catalogue);
  return {
    ...period,
    advertiserIds: advertisers.length > 0 ? advertisers : account === undefined ? [] : advertiserIds,
    metrics,
    dimensions,
    filters,
    sort: compare === undefined ? sorted.map(({ field, order }) => ({ field, order })) : sorted,
    ...(compare && { compare }),
  };
}

/** @returns dates and sequences in ascending order, else the first metric that is not an attribute, else [] */
export function defaultSort({ metrics, dimensions }: Question, catalogue: Catalogue): readonly SortEntry[] {
  const ordered = dimensions.filter((name) => {
    const field = catalogue.dimension(name);
    return field?.type === 'date' || (field !== undefined && isSequence(field));
  });
  if (ordered.length > 0) return ordered.map((field) => ({ field, order: 'ASC' }) as const);
  const [metric] = metrics.filter((name) => catalogue.metric(name)?.kind !== 'attribute');
  return metric === undefined ? [] : [{ field: metric, order: 'DESC' }];
}

export function datesOf({ first, last }: PeriodDays): Period {
  return { startDate: formatDay(first), endDate: formatDay(last) };
}

/** @returns the days of a period without relative dates */
export function rangeOf({ startDate, endDate }: Period): PeriodDays {
  return { first: dayNumber(startDate), last: dayNumber(endDate) };
}

/** @returns the name, if the table has it */
export function nameIn<Table extends object>(table: Table, name: string): (keyof Table & string) | undefined {
  return Object.hasOwn(table, name) ? (name as keyof Table & string) : undefined;
}
