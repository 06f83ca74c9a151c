/** How many values an operator takes; `some` is one or more. */
export type Arity = 'none' | 'one' | 'two' | 'some';

/** The filter operators. `meaning` says which values of the field pass. */
export const OPERATORS = {
  EQUALS: { arity: 'some', meaning: 'equal to one of the values' },
  IN: { arity: 'some', meaning: 'equal to one of the values' },
  NOT_EQUALS: { arity: 'some', meaning: 'equal to none of the values, or null' },
  NOT_IN: { arity: 'some', meaning: 'equal to none of the values, or null' },
  GREATER_THAN: { arity: 'one', meaning: 'greater than the value' },
  GREATER_THAN_OR_EQUAL: { arity: 'one', meaning: 'greater than or equal to the value' },
  LESS_THAN: { arity: 'one', meaning: 'less than the value' },
  LESS_THAN_OR_EQUAL: { arity: 'one', meaning: 'less than or equal to the value' },
  BETWEEN: { arity: 'two', meaning: 'from the first value to the second, both included' },
  LIKE: {
    arity: 'one',
    meaning:
      'the written form matches the pattern, ignoring case; % stands for any text, and a pattern without % may match anywhere in the value. Dates are written ' +
      '2026-03-01, integers without thousands separators, decimals as JSON writes them, UPCs with all 13 digits',
  },
  LIKE_IN: { arity: 'some', meaning: 'one of the patterns matches, as in LIKE' },
  NOT_LIKE: { arity: 'some', meaning: 'none of the patterns matches, as in LIKE, or null' },
  IS_NULL: { arity: 'none', meaning: 'null' },
  NOT_NULL: { arity: 'none', meaning: 'not null' },
} as const satisfies Readonly<Record<string, { arity: Arity; meaning: string }>>;
export type Operator = keyof typeof OPERATORS;

export const OPERATOR_NAMES = Object.keys(OPERATORS) as Operator[]; // keyof the same literal

/** The operators whose values are patterns, which match the written form of values of any type. */
export type PatternOperator = 'LIKE' | 'LIKE_IN' | 'NOT_LIKE';

export function isPattern(operator: Operator): operator is PatternOperator {
  return operator === 'LIKE' || operator === 'LIKE_IN' || operator === 'NOT_LIKE';
}
