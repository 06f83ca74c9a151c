import { type Arity, OPERATOR_NAMES, OPERATORS, type Operator } from '../../catalog/operators.ts';

/** The JSON Schema keywords for the number of values, by arity. */
const COUNTS: Readonly<Record<Arity, object>> = {
  none: { maxItems: 0 },
  one: { minItems: 1, maxItems: 1 },
  two: { minItems: 2, maxItems: 2 },
  some: { minItems: 1 },
};

const withArity = (arity: Arity) => OPERATOR_NAMES.filter((name) => OPERATORS[name].arity === arity);

/** How many values each operator takes, in words. */
export const COUNTS_TEXT =
  `Number of values: none for ${withArity('none').join(', ')}; one for ${withArity('one').join(', ')}; two for ` +
  `${withArity('two').join(', ')}; one or more for all others.`;

/** How many values each operator takes, as JSON Schema of a filter. */
export const COUNTS_SCHEMA = {
  allOf: (['none', 'one', 'two', 'some'] as const).map((arity) => ({
    if: { properties: { operator: { enum: withArity(arity) } }, required: ['operator'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { values: COUNTS[arity] } },
  })),
};

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
