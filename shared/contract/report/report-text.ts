import { SORT_VALUE_NAMES, type SortValue } from '../../catalog/compared-values.ts';
import { OPERATOR_NAMES, type Operator } from '../../catalog/operators.ts';
import { findClosest } from '../../lib/closest-name.ts';
import { COMPARISON_NAMES, type Comparison } from '../../lib/compared-period.ts';

/** A report as its text has it: names of fields and dates are texts that the schema of requests checks. */
interface TextReport {
  readonly experience: string;
  /** Of the explorer: the account whose advertisers the report is about. */
  readonly account?: number | undefined;
  readonly startDate: string;
  readonly endDate: string;
  readonly advertiserIds: readonly number[];
  readonly filters: readonly WrittenFilter[];
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly sort: readonly TextSort[];
  readonly compare?: TextCompare | undefined;
}

export interface TextFilter {
  readonly field: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

export interface TextSort {
  readonly field: string;
  readonly order: 'ASC' | 'DESC';
  readonly by?: SortValue;
}

/** A filter whose operator is not checked. */
type WrittenFilter = Omit<TextFilter, 'operator'> & { readonly operator: string };

export type TextCompare = Comparison | { readonly startDate: string; readonly endDate: string };

/** The grammar of filters, for errors and agents; functions/README.md has it as a table. */
export const FILTER_FORMS =
  'field=value,value; !=, >, >=, <, <=, ~ (contains) or !~ instead of =; field=low..high; field=null; or an operator by its name: keyword STARTS_WITH oat';

/** What may name a compared period, as messages put it. */
export const COMPARE_FORMS = `${COMPARISON_NAMES.join(', ')}, or two days, which may be relative: 2025-11-01..2025-11-30`;

/**
 * @returns the report as the query of a link, without empty parts: `experience=pla&start=latest-27d&end=latest&compare=previousPeriod&filter=cost>50&metrics=cost&by=campaign_name&sort=-cost`.
 * Filters come first of the lists: a link that was cut in one has no metrics, and requests nothing
 */
export function writeReport(report: TextReport): URLSearchParams {
  const { experience, account, startDate, endDate, advertiserIds, filters, metrics, dimensions, sort, compare } =
    report;
  const query = new URLSearchParams({ experience, ...(account && { account: String(account) }) });
  const setList = (name: string, items: readonly (string | number)[]) => {
    if (items.length > 0) query.set(name, items.join(','));
  };
  setList('advertisers', advertiserIds);
  query.set('start', startDate);
  query.set('end', endDate);
  if (compare !== undefined)
    query.set('compare', typeof compare === 'string' ? compare : `${compare.startDate}..${compare.endDate}`);
  for (const filter of filters) query.append('filter', writeFilter(filter));
  setList('metrics', metrics);
  setList('by', dimensions);
  setList('sort', sort.map(writeSort));
  return query;
}

/** The last part of every link; without it, the link was cut, perhaps within a value: `cost>1000` to `cost>100`. */
export const LINK_END = { name: 'v', value: '1' } as const;

/** @returns the query of a link, with commas and colons as they are, which people can read */
export function writeLink(query: URLSearchParams): string {
  return `${query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}&${LINK_END.name}=${LINK_END.value}`;
}

export function writeSort({ field, order, by }: TextSort): string {
  return `${order === 'DESC' ? '-' : ''}${field}${by === undefined ? '' : `:${by}`}`;
}

/** @param text such as `-cost` (descending), `campaign_name` (ascending) or `-cost:change` @throws RangeError if it is none */
export function parseSort(text: string): TextSort {
  const [, minus, field, value] = /^(-?)(\w+)(?::(\w+))?$/.exec(text) ?? [];
  const by = SORT_VALUE_NAMES.find((name) => name === value);
  if (field === undefined || by !== value)
    throw new RangeError(
      `${text} is not a sort order; it must be a field, with - before it to descend: -cost; with compare also -cost:${SORT_VALUE_NAMES.slice(1).join(', -cost:')}`,
    );
  return { field, order: minus === '-' ? 'DESC' : 'ASC', ...(by && { by }) };
}

/** @returns the period to compare with. @throws RangeError that names what is accepted */
export function parseCompare(text: string): TextCompare {
  const named = COMPARISON_NAMES.find((name) => name.toLowerCase() === text.toLowerCase());
  if (named !== undefined) return named;
  const [startDate, endDate, ...rest] = text.split('..');
  if (startDate && endDate && rest.length === 0) return { startDate, endDate };
  const closest = findClosest(text.toLowerCase(), COMPARISON_NAMES);
  const hint = closest === undefined ? '' : ` (did you mean ${closest}?)`;
  throw new RangeError(`${text} is no period to compare with${hint}; it must be ${COMPARE_FORMS}`);
}

/** The signs and what they mean for one value and for several; a sign without `many` takes one. */
const SIGNS: Readonly<Record<string, { readonly one: Operator; readonly many?: Operator; readonly none?: Operator }>> =
  {
    '=': { one: 'EQUALS', many: 'IN', none: 'IS_NULL' },
    '!=': { one: 'NOT_EQUALS', many: 'NOT_IN', none: 'NOT_NULL' },
    '~': { one: 'CONTAINS', many: 'CONTAINS' },
    '!~': { one: 'NOT_CONTAINS', many: 'NOT_CONTAINS' },
    '>': { one: 'GREATER_THAN' },
    '>=': { one: 'GREATER_THAN_OR_EQUAL' },
    '<': { one: 'LESS_THAN' },
    '<=': { one: 'LESS_THAN_OR_EQUAL' },
  };
const SIGNED = /^(\w+)\s*(!=|>=|<=|!~|=|>|<|~)\s*(.*)$/s;
const NAMED = /^(\w+)\s+([A-Z_]+)(?:\s+(.*))?$/s;

/** @returns the filter with a sign where that means the same, else with the operator's name */
export function writeFilter({ field, operator, values }: WrittenFilter): string {
  for (const [sign, { one, many, none }] of Object.entries(SIGNS)) {
    if (operator === none && values.length === 0) return `${field}${sign}null`;
    const isSigned = values.length === 1 ? operator === one : values.length > 1 && operator === many;
    if (isSigned) return `${field}${sign}${values.map(quote).join(',')}`;
  }
  const isRange =
    operator === 'BETWEEN' && values.length === 2 && values.every((value) => /^[\w-]+(\.\d+)?$/.test(value));
  return isRange ? `${field}=${values.join('..')}` : `${field} ${operator} ${values.map(quote).join(',')}`.trim();
}

/** Values that would be read otherwise: with separators, outer spaces, a sign in front, or a meaning. */
function quote(value: string): string {
  const isPlain = value !== '' && value !== 'null' && value.trim() === value && !/[",]|\.\.|^[=~]/.test(value);
  return isPlain ? value : `"${value.replaceAll('"', '""')}"`;
}

/**
 * @param text such as `cost>100`
 * @throws RangeError if it is not a filter, has a sign and too few or too many values, or an unmatched quotation mark
 */
export function parseFilter(text: string): TextFilter {
  const [, namedField, name, list = ''] = NAMED.exec(text) ?? [];
  const operator = OPERATOR_NAMES.find((candidate) => candidate === name);
  if (namedField !== undefined && operator !== undefined)
    return { field: namedField, operator, values: splitValues(list).map(({ value }) => value) };
  const [, field, sign = '', rest = ''] = SIGNED.exec(text) ?? [];
  const meaning = SIGNS[sign];
  if (field === undefined || meaning === undefined)
    throw new RangeError(`${text} is not a filter; a filter is ${FILTER_FORMS}`);
  const values = splitValues(rest);
  const [first] = values;
  if (first === undefined)
    throw new RangeError(`the filter ${text} lacks a value; for rows without one: ${field}=null`);
  const all = values.map(({ value }) => value);
  if (all.length > 1) {
    if (meaning.many !== undefined) return { field, operator: meaning.many, values: all };
    throw new RangeError(`the filter ${text} has ${all.length} values; ${sign} takes one`);
  }
  const plain = first.isQuoted ? '' : first.value;
  if (plain === 'null' && meaning.none !== undefined) return { field, operator: meaning.none, values: [] };
  const [, low, high] = (sign === '=' && /^(.+?)\.\.(.+)$/.exec(plain)) || [];
  if (low !== undefined && high !== undefined) return { field, operator: 'BETWEEN', values: [low, high] };
  return { field, operator: meaning.one, values: all };
}

interface Value {
  readonly value: string;
  readonly isQuoted: boolean;
}

/**
 * @returns the values between commas; a quotation mark in quotation marks is doubled
 * @throws RangeError if a value begins with a quotation mark, but does not end with the matching one
 */
function splitValues(text: string): Value[] {
  const matches = text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g);
  const values = [...matches].map(([, quoted, plain = '']): Value => {
    if (quoted !== undefined) return { value: quoted.replaceAll('""', '"'), isQuoted: true };
    if (plain.startsWith('"'))
      throw new RangeError(
        `the value ${plain} has an unmatched quotation mark, or text after the closing one: put the whole value in quotation marks, and write those inside it twice`,
      );
    return { value: plain.trim(), isQuoted: false };
  });
  return values.filter(({ value, isQuoted }) => isQuoted || value !== '');
}
