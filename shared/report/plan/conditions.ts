import type { FieldType } from '../../catalog/definitions.ts';
import { isPattern, type Operator, type PatternOperator } from '../../catalog/operators.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import type { Filter, ReportValue } from '../query.ts';

/** A compiled filter. */
export interface Condition {
  /** @returns whether a value of the filtered field passes */
  readonly passes: (value: ReportValue) => boolean;
  /** The number of searches in the text of a value: the texts between the wildcards of all patterns. 0 for operators without patterns. */
  readonly searches: number;
}

/** The operators that null passes. */
const PASSED_BY_NULL: ReadonlySet<Operator> = new Set(['NOT_EQUALS', 'NOT_IN', 'NOT_LIKE', 'IS_NULL']);

/** Remembered results of patterns, so that a value is tested once and not once per day; about 31 bytes each. */
export interface PatternMemory {
  /** How many more results the filters of the report may remember together. */
  left: number;
}

/**
 * @param type of the filtered field; values are compared by it
 * @param memory absent = results are not remembered
 */
export function compileFilter(filter: Filter, type: FieldType, memory: PatternMemory = { left: 0 }): Condition {
  const nullPasses = PASSED_BY_NULL.has(filter.operator);
  const { passes, searches } = isPattern(filter.operator)
    ? compilePatterns(filter.values, filter.operator === 'NOT_LIKE', memory)
    : { passes: compileOperator(filter.operator, filter.values, type), searches: 0 };
  return { passes: (value) => (value === null ? nullPasses : passes(value)), searches };
}

type Present = string | number;

function compileOperator(
  operator: Exclude<Operator, PatternOperator>,
  texts: readonly string[],
  type: FieldType,
): (value: Present) => boolean {
  const typed = texts.map((text): Present => (type === 'integer' || type === 'decimal' ? Number(text) : text));
  const [first = '', second = ''] = typed;
  const set = new Set(typed);
  switch (operator) {
    case 'EQUALS':
    case 'IN':
      return (value) => set.has(value);
    case 'NOT_EQUALS':
    case 'NOT_IN':
      return (value) => !set.has(value);
    case 'GREATER_THAN':
      return (value) => compareKeys(value, first) > 0;
    case 'GREATER_THAN_OR_EQUAL':
      return (value) => compareKeys(value, first) >= 0;
    case 'LESS_THAN':
      return (value) => compareKeys(value, first) < 0;
    case 'LESS_THAN_OR_EQUAL':
      return (value) => compareKeys(value, first) <= 0;
    case 'BETWEEN':
      return (value) => compareKeys(value, first) >= 0 && compareKeys(value, second) <= 0;
    case 'IS_NULL':
      return () => false;
    case 'NOT_NULL':
      return () => true;
  }
}

/** @returns whether any of the patterns matches, or with `isNegated`, none of them */
function compilePatterns(texts: readonly string[], isNegated: boolean, memory: PatternMemory) {
  const patterns = [...new Set(texts.map(normalizePattern))].map(compilePattern);
  const remembered = new Map<Present, boolean>();
  const passes = (value: Present): boolean => {
    const known = remembered.get(value);
    if (known !== undefined) return known;
    const text = String(value).toLowerCase();
    const result = patterns.some(({ matches }) => matches(text)) !== isNegated;
    if (memory.left > 0) {
      memory.left -= 1;
      remembered.set(value, result);
    }
    return result;
  };
  return { passes, searches: patterns.reduce((sum, { searches }) => sum + searches, 0) };
}

/** `%` stands for any text, and so does a run of them; a pattern without `%` may match anywhere. Case is ignored. */
function normalizePattern(text: string): string {
  return (text.includes('%') ? text : `%${text}%`).replaceAll(/%+/g, '%').toLowerCase();
}

interface Pattern {
  readonly matches: (text: string) => boolean;
  readonly searches: number;
}

/**
 * Finds each text between two wildcards at its first position after the one before. A later position would never help, so nothing is searched twice,
 * and the time is linear in the length of the value.
 */
function compilePattern(pattern: string): Pattern {
  const [head = '', ...rest] = pattern.split('%');
  const tail = rest.pop();
  if (tail === undefined) return { matches: (text) => text === head, searches: 1 };
  const minLength = pattern.length - 1 - rest.length;
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
