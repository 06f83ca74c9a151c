/** How many values an operator takes. */
export type Arity = 'none' | 'one' | 'two' | 'some';

/** The filter operators: how many values they take and what they let pass. */
export const OPERATORS = {
  EQUALS: { arity: 'some', meaning: 'equal to one of the values' },
  IN: { arity: 'some', meaning: 'equal to one of the values' },
  NOT_EQUALS: { arity: 'some', meaning: 'equal to none of the values, or null' },
  NOT_IN: { arity: 'some', meaning: 'equal to none of the values, or null' },
  GREATER_THAN: { arity: 'one', meaning: 'above the value' },
  GREATER_THAN_OR_EQUAL: { arity: 'one', meaning: 'the value or above' },
  LESS_THAN: { arity: 'one', meaning: 'below the value' },
  LESS_THAN_OR_EQUAL: { arity: 'one', meaning: 'the value or below' },
  BETWEEN: { arity: 'two', meaning: 'from the first value to the second, both included' },
  LIKE: {
    arity: 'one',
    meaning: 'text that the pattern fits, in any case; % is any text, without % the text contains it',
  },
  LIKE_IN: { arity: 'some', meaning: 'text that one of the patterns fits, as in LIKE' },
  NOT_LIKE: { arity: 'some', meaning: 'text that none of the patterns fits, as in LIKE, or null' },
  IS_NULL: { arity: 'none', meaning: 'null' },
  NOT_NULL: { arity: 'none', meaning: 'not null' },
} as const satisfies Readonly<Record<string, { arity: Arity; meaning: string }>>;
export type Operator = keyof typeof OPERATORS;

export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[]; // keyof the same literal

/** Operators whose values are patterns, which need not be values of the field's type. */
const PATTERN_OPERATORS: ReadonlySet<Operator> = new Set(['LIKE', 'LIKE_IN', 'NOT_LIKE']);

/** @returns whether the operator's values are patterns for the field's text rather than values of the field. */
export function takesPatterns(operator: Operator): boolean {
  return PATTERN_OPERATORS.has(operator);
}

/** @returns what is wrong with a filter of `count` values, and what to do, or undefined where the count is right. */
export function whyWrongCount(operator: Operator, count: number): string | undefined {
  switch (OPERATORS[operator].arity) {
    case 'none':
      return count === 0 ? undefined : `${operator} takes no values: send [].`;
    case 'some':
      return count > 0 ? undefined : `${operator} takes one or more values; ${ADVICE_FOR_NONE}.`;
    case 'one':
      if (count === 1) return undefined;
      return `${operator} takes exactly one value${count === 0 ? `; ${ADVICE_FOR_NONE}` : adviceForMany(operator)}.`;
    case 'two':
      return count === 2 ? undefined : `${operator} takes exactly two values, the lowest and the highest to let pass.`;
  }
}

const ADVICE_FOR_NONE = 'for rows without a value use IS_NULL with [], and to filter by nothing leave the filter out';

function adviceForMany(operator: Operator): string {
  return operator === 'LIKE' ? '; for several patterns use LIKE_IN' : '; for a range use BETWEEN or two filters';
}
