import type { DayRange } from '../../layout/day-ranges.ts';
import { parseDate } from '../../lib/calendar.ts';

const NAMED_MODES = ['advertiser-days', 'days', 'hours'] as const;

/**
 * What the facts of a folder replace: the days of their advertisers, these days of all advertisers, the hours of their advertisers, or all days of a period, such
 * as `2026-02-01..2026-02-28`, also those without rows.
 */
export type ReplaceMode = (typeof NAMED_MODES)[number] | `${string}..${string}`;

/** The end of a message about another value. */
export const REPLACE_RULE = `must be one of ${NAMED_MODES.join(', ')}, or days such as 2026-02-01..2026-02-28`;

export function isReplaceMode(value: unknown): value is ReplaceMode {
  return NAMED_MODES.some((mode) => mode === value) || (typeof value === 'string' && periodOf(value) !== undefined);
}

/** @returns the first and last day of the mode; undefined if it is not a period */
export function periodOf(mode = ''): DayRange | undefined {
  const [first, last, ...more] = mode.split('..').map(parseDate);
  return first === undefined || last === undefined || first > last || more.length > 0 ? undefined : [first, last];
}
