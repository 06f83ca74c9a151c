import { expandCodes } from '../../columns/coded-keys.ts';
import type { Codes, KeyData, KeyValue } from '../../columns/column.ts';
import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import type { Joins } from '../plan/joins.ts';
import type { RowCondition } from '../plan/plan-report.ts';
import type { SeenValues } from './seen-values.ts';
import type { Segment } from './segment.ts';

/** The rows of a segment that pass: all, none, or those with a 1. */
export type Selection = 'all' | 'none' | Uint8Array;

/**
 * Evaluates the conditions once per dictionary value. Where no value or every value of a column passes, this decides without touching a row. Conditions on
 * dates are evaluated first, so that `seen` gets no values of days outside the period, which a rollup also has.
 * @param seen collects the values of the filtered fields in the rows that pass the conditions on dates, whatever the other conditions, for
 * warnings about texts that do not occur; only for facts whose values the report may show
 * @returns which rows pass all conditions
 */
export function selectRows(
  segment: Segment,
  conditions: readonly RowCondition[],
  joins: Joins,
  deadline: Deadline = NO_DEADLINE,
  seen?: SeenValues,
): Selection {
  let selection: 'all' | Uint8Array = 'all';
  let ofDates: 'all' | Uint8Array = 'all';
  let isEmpty = false;
  const byBase = [...Map.groupBy(conditions, (condition) => condition.base)];
  for (const [base, baseConditions] of byBase.sort(([a], [b]) => Number(b === 'date') - Number(a === 'date'))) {
    const pending = (base === 'date' ? undefined : seen?.pending(baseConditions)) ?? []; // the days of the period are added up front
    if (isEmpty && pending.length === 0) continue;
    const keys = segment.keys(base);
    const occurring = pending.length === 0 ? [] : occurringValues(keys, ofDates);
    for (const field of pending) {
      for (const value of occurring) {
        deadline.checkStep(); // a value may be tested against thousands of patterns
        seen?.add(field, joins, segment.advertiserId, value);
      }
    }
    if (isEmpty) continue;
    const passes = new Uint8Array(keys.dictionary.length);
    for (const [code, value] of keys.dictionary.entries()) {
      deadline.checkStep();
      const passesAll = baseConditions.every(({ passes }) => passes(joins, segment.advertiserId, value));
      passes[code] = passesAll ? 1 : 0;
    }
    if (!passes.includes(0)) continue;
    if (!passes.includes(1)) {
      if (base === 'date') return 'none';
      isEmpty = true;
      continue;
    }
    selection = narrow(selection, keys, passes);
    if (base === 'date') ofDates = selection.slice();
  }
  return isEmpty ? 'none' : selection;
}

/** @returns the values that the selected rows have */
export function occurringValues(keys: KeyData, selection: Selection): readonly KeyValue[] {
  if (selection === 'all') return keys.dictionary;
  if (selection === 'none') return [];
  const occurs = new Uint8Array(keys.dictionary.length);
  const codes = expandCodes(keys);
  for (let row = 0; row < codes.length; row++) if (selection[row] === 1) occurs[codes[row] ?? 0] = 1;
  return keys.dictionary.filter((_, code) => occurs[code] === 1);
}

function narrow(selection: 'all' | Uint8Array, keys: KeyData, passes: Uint8Array): Uint8Array {
  const codes = expandCodes(keys);
  if (selection === 'all') return mapCodes(codes, passes);
  // `passes` has one element per dictionary value, and every code indexes the dictionary
  for (let row = 0; row < codes.length; row++) selection[row] = (selection[row] ?? 0) & (passes[codes[row] ?? 0] ?? 0);
  return selection;
}

function mapCodes(codes: Codes, passes: Uint8Array): Uint8Array {
  const selected = new Uint8Array(codes.length);
  for (let row = 0; row < selected.length; row++) selected[row] = passes[codes[row] ?? 0] ?? 0;
  return selected;
}
