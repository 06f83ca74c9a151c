import { keysOf } from '../lib/keys-of.ts';
import type { FieldType } from './definitions.ts';

/** What a report with a compared period can be sorted by, with its meaning. */
export const SORT_VALUES = {
  value: 'the value of the period, which is the default',
  compared: 'the value of the compared period',
  change: 'value − compared value',
  relativeChange: 'change / |compared value|, null where that is null or 0',
} as const;
export type SortValue = keyof typeof SORT_VALUES;
export const SORT_VALUE_NAMES = keysOf(SORT_VALUES);

/** @returns whether values of the type have a difference */
export function isNumeric(type: FieldType): boolean {
  return type === 'integer' || type === 'decimal';
}

/** @returns the column of a metric's value in the compared period */
export function beforeColumn(metric: string): string {
  return `${metric}_before`;
}

/** @returns the columns of the change of a numeric metric, and of the relative one */
export function changeColumns(metric: string): readonly [change: string, relativeChange: string] {
  return [`${metric}_change`, `${metric}_relative_change`];
}
