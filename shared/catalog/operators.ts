import { keysOf } from '../lib/keys-of.ts';
import type { FieldType } from './definitions.ts';

/** How many values an operator takes; `some` is one or more. */
export type Arity = 'none' | 'one' | 'two' | 'some';

interface OperatorDefinition {
  readonly arity: Arity;
  /** A short form to offer to people, between the field and its values. */
  readonly title: string;
  /** The types for which it is useful; fields of all types accept it. */
  readonly suits: readonly FieldType[];
  /** Which values of the field pass. */
  readonly meaning: string;
}

const ALL: readonly FieldType[] = ['text', 'integer', 'decimal', 'date'];
const ORDERED: readonly FieldType[] = ['integer', 'decimal', 'date'];
const TEXT: readonly FieldType[] = ['text'];

export const OPERATORS = {
  EQUALS: { arity: 'some', title: 'is', suits: ALL, meaning: 'equal to one of the values' },
  IN: { arity: 'some', title: 'is one of', suits: ALL, meaning: 'equal to one of the values' },
  NOT_EQUALS: { arity: 'some', title: 'is not', suits: ALL, meaning: 'equal to none of the values, or null' },
  NOT_IN: { arity: 'some', title: 'is none of', suits: ALL, meaning: 'equal to none of the values, or null' },
  GREATER_THAN: { arity: 'one', title: '>', suits: ORDERED, meaning: 'greater than the value' },
  GREATER_THAN_OR_EQUAL: { arity: 'one', title: '≥', suits: ORDERED, meaning: 'greater than or equal to the value' },
  LESS_THAN: { arity: 'one', title: '<', suits: ORDERED, meaning: 'less than the value' },
  LESS_THAN_OR_EQUAL: { arity: 'one', title: '≤', suits: ORDERED, meaning: 'less than or equal to the value' },
  BETWEEN: {
    arity: 'two',
    title: 'is between',
    suits: ORDERED,
    meaning: 'from the first value to the second, both included',
  },
  CONTAINS: {
    arity: 'some',
    title: 'contains',
    suits: TEXT,
    meaning:
      'the written form contains one of the values as they are, ignoring case. Dates are written 2026-03-01, integers without thousands separators, decimals as ' +
      'JSON writes them, UPCs with all 13 digits',
  },
  NOT_CONTAINS: {
    arity: 'some',
    title: 'does not contain',
    suits: TEXT,
    meaning: 'the written form contains none of the values, or null',
  },
  STARTS_WITH: {
    arity: 'some',
    title: 'starts with',
    suits: TEXT,
    meaning: 'the written form starts with one of the values, ignoring case',
  },
  LIKE: {
    arity: 'one',
    title: 'matches',
    suits: TEXT,
    meaning:
      'the written form matches the pattern, ignoring case; % stands for any text, \\% for a percent sign, and a pattern without a wildcard may match anywhere ' +
      'in the value',
  },
  LIKE_IN: { arity: 'some', title: 'matches one of', suits: TEXT, meaning: 'one of the patterns matches, as in LIKE' },
  NOT_LIKE: {
    arity: 'some',
    title: 'matches none of',
    suits: TEXT,
    meaning: 'none of the patterns matches, as in LIKE, or null',
  },
  IS_NULL: { arity: 'none', title: 'has no value', suits: ALL, meaning: 'null' },
  NOT_NULL: { arity: 'none', title: 'has a value', suits: ALL, meaning: 'not null' },
} as const satisfies Readonly<Record<string, OperatorDefinition>>;
export type Operator = keyof typeof OPERATORS;

export const OPERATOR_NAMES = keysOf(OPERATORS);

/** The operators whose values are patterns or parts of a text, which are compared with the written form of values of any type. */
const PATTERNS = ['CONTAINS', 'NOT_CONTAINS', 'STARTS_WITH', 'LIKE', 'LIKE_IN', 'NOT_LIKE'] as const;
export type PatternOperator = (typeof PATTERNS)[number];

export function isPattern(operator: Operator): operator is PatternOperator {
  return PATTERNS.some((name) => name === operator);
}
