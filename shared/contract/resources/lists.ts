import * as z from 'zod/mini';
import { fieldIssue } from '../field-problems.ts';
import { MAX_LISTED_FIELDS } from '../problem.ts';

/*
 * A megabyte of JSON can hold 500,000 wrong values. Zod collects the issues of a level with push(...issues), which breaks the stack at some 100,000;
 * so lists are cut to a bound before their items are looked at, and long lists of plain values stop at the problems that are listed at all.
 */

/** A list of at most `max` items; where there are more, only that is reported. Read its schema as output. */
export function boundedList<List extends z.ZodMiniArray>(list: List, max: number, allowed: string) {
  const bounded = z.array(z.unknown(), allowed).check(z.maxLength(max, { error: allowed, abort: true }));
  return z.pipe(bounded, list).check(z.meta({ maxItems: max }));
}

/** A list of plain values, however many; of wrong items the first 100 are reported. */
export function plainList<Item>(
  isItem: (value: unknown) => value is Item,
  words: { readonly list: string; readonly item: string },
  itemSchema: Readonly<Record<string, unknown>>,
) {
  return z
    .custom<readonly Item[]>((value) => Array.isArray(value), { error: words.list, abort: true })
    .check(
      z.check(({ value, issues }) => {
        let listed = 0;
        for (let index = 0; index < value.length && listed < MAX_LISTED_FIELDS; index++) {
          if (isItem(value[index])) continue;
          issues.push(fieldIssue('WRONG_TYPE', [index], `Must be ${words.item}.`, value[index]));
          listed += 1;
        }
      }),
      z.meta({ type: 'array', items: itemSchema }),
    );
}
