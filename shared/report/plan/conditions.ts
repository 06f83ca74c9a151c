import type { FieldType } from '../../catalog/definitions.ts';
import type { Operator } from '../../catalog/operators.ts';
import { compareKeys } from '../../columns/dictionary.ts';
import type { Filter, ReportValue } from '../query.ts';

/** @returns whether a value of the filtered field passes */
export type Condition = (value: ReportValue) => boolean;

/** The operators that null passes. */
const PASSED_BY_NULL: ReadonlySet<Operator> = new Set(['NOT_EQUALS', 'NOT_IN', 'NOT_LIKE', 'IS_NULL']);

/** @param type of the filtered field; values are compared by it */
export function compileFilter(filter: Filter, type: FieldType): Condition {
  const nullPasses = PASSED_BY_NULL.has(filter.operator);
  const passes = compileOperator(filter.operator, filter.values, type);
  return (value) => (value === null ? nullPasses : passes(value));
}

type Present = string | number;

function compileOperator(operator: Operator, texts: readonly string[], type: FieldType): (value: Present) => boolean {
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
    case 'LIKE':
    case 'LIKE_IN': {
      const patterns = texts.map(compilePattern);
      return (value) => patterns.some((matches) => matches(value));
    }
    case 'NOT_LIKE': {
      const patterns = texts.map(compilePattern);
      return (value) => !patterns.some((matches) => matches(value));
    }
    case 'IS_NULL':
      return () => false;
    case 'NOT_NULL':
      return () => true;
  }
}

/**
 * `%` stands for any text; a pattern without `%` may match anywhere. Case is ignored. Without backtracking, the time is bounded by the product of
 * the lengths of pattern and text.
 */
function compilePattern(pattern: string): (value: Present) => boolean {
  const [head = '', ...rest] = (pattern.includes('%') ? pattern : `%${pattern}%`).toLowerCase().split('%');
  const tail = rest.pop();
  if (tail === undefined) return (value) => String(value).toLowerCase() === head;
  return (value) => {
    const text = String(value).toLowerCase();
    const end = text.length - tail.length;
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return at <= end;
  };
}
