import type { FieldType } from '../../catalog/definitions.ts';
import { MICROS } from '../../catalog/dimension-tables.ts';
import type { DimensionName } from '../../catalog/dimensions.ts';
import type { MetricName } from '../../catalog/metrics.ts';
import { isPattern, type Operator, type PatternOperator } from '../../catalog/operators.ts';
import type { KeyValue } from '../../columns/column.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import type { Filter, ReportValue } from '../query/query.ts';

/** The compiled filters of one field. */
export interface Condition {
  /** @returns whether a value of the field passes all of them */
  readonly passes: (value: ReportValue) => boolean;
  /** The number of filters. */
  readonly filters: number;
  /**
   * About how many passes over the text of a value they make: one per pattern, one or more per text between its wildcards, and one per text that is compared
   * by order. 0 for comparisons of numbers and dates, and for operators that only look the value up.
   */
  readonly searches: number;
}

/** The operators that null passes. */
const PASSED_BY_NULL: ReadonlySet<Operator> = new Set(['NOT_EQUALS', 'NOT_IN', 'NOT_CONTAINS', 'NOT_LIKE', 'IS_NULL']);

/**
 * @param filters of one field
 * @param type of the field; values are compared by it
 * @param isAmount whether the values to test are in micros
 */
export function compileFilters(filters: readonly Filter[], type: FieldType, isAmount = false): Condition {
  const compiled = filters.map((filter) => compileFilter(isAmount ? scaleValues(filter) : filter, type, isAmount));
  return {
    passes: (value) => compiled.every(({ passes }) => passes(value)),
    filters: filters.length,
    searches: compiled.reduce((sum, { searches }) => sum + searches, 0),
  };
}

/** The values of a column whose results are remembered. */
const MAX_RESULTS = 100_000;

/** The values that fields have for facts with a base value, such as `Joins`. */
interface FieldValues {
  valueOf(field: DimensionName | MetricName, advertiserId: number, base: KeyValue): KeyValue;
}

/** @returns whether facts of the advertiser with this base value pass */
export type BaseTest = (values: FieldValues, advertiserId: number, base: KeyValue) => boolean;

/**
 * Remembers results by base value, so that each is tested once and not once per day. Results by the texts themselves would be slow to find: V8 takes the
 * length of a text of more than 16,383 characters as its hash.
 * @param isPerAdvertiser whether the same base value has different meanings for different advertisers
 * @param maxResults further values are tested each time
 */
export function rememberResults(test: BaseTest, isPerAdvertiser: boolean, maxResults = MAX_RESULTS): BaseTest {
  const remembered = new Map<number, Map<KeyValue, boolean>>();
  let count = 0;
  return (values, advertiserId, base) => {
    const owner = isPerAdvertiser ? advertiserId : 0;
    const ofOwner = remembered.get(owner) ?? new Map<KeyValue, boolean>();
    const known = ofOwner.get(base);
    if (known !== undefined) return known;
    const result = test(values, advertiserId, base);
    if (count++ < maxResults) remembered.set(owner, ofOwner.set(base, result));
    return result;
  };
}

/** @returns the filter with its decimals × 10^6, exactly; patterns are unchanged */
function scaleValues(filter: Filter): Filter {
  return isPattern(filter.operator) ? filter : { ...filter, values: filter.values.map((text) => `${text}e6`) };
}

/** @param type of the filtered field; values are compared by it */
export function compileFilter(
  filter: Filter,
  type: FieldType,
  isAmount = false,
): Pick<Condition, 'passes' | 'searches'> {
  const nullPasses = PASSED_BY_NULL.has(filter.operator);
  const { passes, searches } = isPattern(filter.operator)
    ? compilePatterns(filter.values, filter.operator, isAmount ? MICROS : 1)
    : compileOperator(filter.operator, filter.values, type);
  return { passes: (value) => (value === null ? nullPasses : passes(value)), searches };
}

type Present = string | number;

type Test = (value: Present) => boolean;

function compileOperator(
  operator: Exclude<Operator, PatternOperator>,
  texts: readonly string[],
  type: FieldType,
): { passes: Test; searches: number } {
  const typed = texts.map((text): Present => (type === 'integer' || type === 'decimal' ? Number(text) : text));
  const [first = '', second = ''] = typed;
  const lookUp = (passes: Test) => ({ passes, searches: 0 });
  const compare = (passes: (order: (other: Present) => number) => boolean) => {
    const test: Test = (value) => passes((other) => compareKeys(value, other));
    return { passes: test, searches: type === 'text' ? texts.length : 0 };
  };
  switch (operator) {
    case 'EQUALS':
    case 'IN': {
      const set = new Set(typed);
      return lookUp((value) => set.has(value));
    }
    case 'NOT_EQUALS':
    case 'NOT_IN': {
      const set = new Set(typed);
      return lookUp((value) => !set.has(value));
    }
    case 'GREATER_THAN':
      return compare((order) => order(first) > 0);
    case 'GREATER_THAN_OR_EQUAL':
      return compare((order) => order(first) >= 0);
    case 'LESS_THAN':
      return compare((order) => order(first) < 0);
    case 'LESS_THAN_OR_EQUAL':
      return compare((order) => order(first) <= 0);
    case 'BETWEEN':
      return compare((order) => order(first) >= 0 && order(second) <= 0);
    case 'IS_NULL':
      return lookUp(() => false);
    case 'NOT_NULL':
      return lookUp(() => true);
  }
}

/** @returns the test whether any of the patterns matches, or none of them if the operator is negative; and its searches */
function compilePatterns(texts: readonly string[], operator: PatternOperator, scale: number) {
  const isNegated = PASSED_BY_NULL.has(operator);
  const distinct = new Map(
    texts.map((text) => splitPattern(foldCase(text), operator)).map((parts) => [JSON.stringify(parts), parts]),
  );
  const patterns = [...distinct.values()].map(compilePattern);
  const passes = (value: Present): boolean => {
    const text = foldCase(String(typeof value === 'number' ? value / scale : value));
    return patterns.some(({ matches }) => matches(text)) !== isNegated;
  };
  return { passes, searches: patterns.reduce((sum, { searches }) => sum + searches, 0) };
}

/**
 * @returns the texts between which a value may have any text. A pattern is split at its wildcards, `%` or a run of them, but not at `\%`, which is a percent
 * sign; without a wildcard it may match anywhere.
 */
function splitPattern(text: string, operator: PatternOperator): readonly string[] {
  if (operator === 'CONTAINS' || operator === 'NOT_CONTAINS') return ['', text, ''];
  if (operator === 'STARTS_WITH') return [text, ''];
  const parts = text.split(/(?<!\\)%+/).map((part) => part.replaceAll('\\%', '%'));
  return parts.length === 1 ? ['', ...parts, ''] : parts;
}

/** @returns whether a text that `foldCase` returned matches a value of a filter */
export function compileText(text: string, operator: PatternOperator): (folded: string) => boolean {
  return compilePattern(splitPattern(foldCase(text), operator)).matches;
}

/** The operators that compare for equality with each of their values. */
export const EQUALITY: ReadonlySet<Operator> = new Set(['EQUALS', 'IN', 'NOT_EQUALS', 'NOT_IN']);

/** @returns the text in lower case. The Greek Σ has a second lower case at the end of a word, so parts of a text would differ from the whole. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

interface Pattern {
  readonly matches: (text: string) => boolean;
  readonly searches: number;
}

/**
 * Finds each text between two wildcards at its first position after the one before. A later position would never help, so nothing is searched twice.
 * @param parts the texts before, between and after the wildcards, of which there is at least one
 */
function compilePattern(parts: readonly string[]): Pattern {
  const [head = '', ...rest] = parts;
  const tail = rest.pop() ?? '';
  const minLength = parts.join('').length;
  const matches = (text: string): boolean => {
    if (text.length < minLength || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= text.length - tail.length;
  };
  return { matches, searches: rest.length + 1 };
}
