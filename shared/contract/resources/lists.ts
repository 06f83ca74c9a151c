import * as z from 'zod/mini';
import { fieldIssue, orSend } from '../field-problems.ts';
import { MAX_LISTED_FIELDS } from '../problem.ts';

/*
 * A megabyte of JSON can hold 500,000 wrong values. Zod collects the issues of a level with push(...issues), which overflows the stack at about
 * 100,000. Therefore the length of a list is checked before its items, and a list of plain values reports at most MAX_LISTED_FIELDS + 1 problems: the one
 * too many shows that not all are listed.
 */

/**
 * @param toSend what to send usually, for a request without the list
 * @returns the schema of a list of at most `max` items; the items of a longer list are not checked. The OpenAPI document shows its output.
 */
export function boundedList<List extends z.ZodMiniArray>(list: List, max: number, allowed: string, toSend?: string) {
  const bounded = z
    .array(z.unknown(), { error: orSend(allowed, toSend) })
    .check(z.maxLength(max, { error: allowed, abort: true }));
  return z.pipe(bounded, list).check(z.meta({ maxItems: max }));
}

/** @returns the schema of a list of at most `max` plain values; the first MAX_LISTED_FIELDS + 1 wrong items are reported, and none of a longer list */
export function plainList<Item>(
  isItem: (value: unknown) => value is Item,
  words: { readonly list: string; readonly item: string; readonly toSend?: string },
  itemSchema: Readonly<Record<string, unknown>>,
  max = Number.POSITIVE_INFINITY,
) {
  return z
    .custom<readonly Item[]>((value) => Array.isArray(value), { error: orSend(words.list, words.toSend), abort: true })
    .check(
      z.check(({ value, issues }) => {
        if (value.length > max) {
          issues.push(fieldIssue('OUT_OF_RANGE', [], `Must be ${words.list}; this list has ${value.length}.`, value));
          return;
        }
        let listed = 0;
        for (let index = 0; index < value.length && listed <= MAX_LISTED_FIELDS; index++) {
          if (isItem(value[index])) continue;
          issues.push(fieldIssue('WRONG_TYPE', [index], `Must be ${words.item}.`, value[index]));
          listed += 1;
        }
      }),
      z.meta({ type: 'array', items: itemSchema, ...(max === Number.POSITIVE_INFINITY ? {} : { maxItems: max }) }),
    );
}
