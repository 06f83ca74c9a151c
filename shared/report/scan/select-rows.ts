import type { Codes, KeyData } from '../../columns/column.ts';
import { expandCodes } from '../../columns/keys.ts';
import { type Deadline, NO_DEADLINE } from '../../lib/deadline.ts';
import type { Joins } from '../plan/joins.ts';
import type { RowCondition } from '../plan/plan-report.ts';
import type { SeenValues } from './seen-values.ts';
import type { Segment } from './segment.ts';

/** The rows of a segment that pass: all, none, or those with a 1. */
export type Selection = 'all' | 'none' | Uint8Array;

/**
 * Evaluates the conditions once per dictionary value. Where no value or every value of a column passes, this decides without touching a row.
 * @param seen collects the values that are compared with; only for facts whose values the report may show
 * @returns which rows pass all conditions
 */
export function selectRows(
  segment: Segment,
  conditions: readonly RowCondition[],
  joins: Joins,
  deadline: Deadline = NO_DEADLINE,
  seen?: SeenValues,
): Selection {
  let selection: Selection = 'all';
  for (const [base, baseConditions] of Map.groupBy(conditions, (condition) => condition.base)) {
    deadline.check();
    const keys = segment.keys(base);
    for (const { field } of seen?.pending(baseConditions) ?? []) {
      deadline.spend(keys.dictionary.length);
      for (const value of keys.dictionary) seen?.add(field, joins.valueOf(field, segment.advertiserId, value));
    }
    const passes = keys.dictionary.map((value) =>
      baseConditions.every((condition) => {
        deadline.spend();
        return condition.passes(joins.valueOf(condition.field, segment.advertiserId, value), deadline);
      }),
    );
    if (passes.every(Boolean)) continue;
    if (!passes.some(Boolean)) return 'none';
    selection = narrow(selection, keys, Uint8Array.from(passes, Number));
  }
  return selection;
}

function narrow(selection: Selection, keys: KeyData, passes: Uint8Array): Uint8Array {
  const codes = expandCodes(keys);
  if (!(selection instanceof Uint8Array)) return mapCodes(codes, passes);
  // `passes` has one element per dictionary value, and every code indexes the dictionary
  for (let row = 0; row < codes.length; row++)
    selection[row] = (selection[row] as number) & (passes[codes[row] as number] as number);
  return selection;
}

function mapCodes(codes: Codes, passes: Uint8Array): Uint8Array {
  const selected = new Uint8Array(codes.length);
  for (let row = 0; row < selected.length; row++) selected[row] = passes[codes[row] as number] as number; // as above
  return selected;
}
