import { OPERATORS, type Operator } from '../../catalog/operators.ts';

/** @returns what is wrong with a filter that has `count` values, and what to do, or undefined if the count is right */
export function explainWrongCount(operator: Operator, count: number): string | undefined {
  switch (OPERATORS[operator].arity) {
    case 'none':
      return count === 0 ? undefined : `${operator} takes no values: send [].`;
    case 'some':
      return count > 0 ? undefined : `${operator} takes one or more values; ${ADVICE_FOR_NONE}.`;
    case 'one':
      if (count === 1) return undefined;
      return `${operator} takes exactly one value${count === 0 ? `; ${ADVICE_FOR_NONE}` : adviceForMany(operator)}.`;
    case 'two':
      return count === 2 ? undefined : `${operator} takes exactly two values, the lower and the upper bound.`;
  }
}

const ADVICE_FOR_NONE = 'to select rows without a value, use IS_NULL with []; to select all rows, omit the filter';

function adviceForMany(operator: Operator): string {
  return operator === 'LIKE' ? '; for several patterns, use LIKE_IN' : '; for a range, use BETWEEN or two filters';
}
