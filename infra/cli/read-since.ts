import * as z from 'zod';
import { DAY_MS } from '../../shared/lib/calendar.ts';

const UNIT_MS: Readonly<Record<string, number>> = { d: DAY_MS, h: DAY_MS / 24, m: DAY_MS / 1_440 };
const TIME = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/**
 * @param text a duration such as 7d, 12h or 30m before `now`, a date (its beginning in UTC), or a time with its offset from UTC
 * @returns milliseconds since 1970
 * @throws Error if the text is none of these, or the time is in the future
 */
export function readSince(text: string, now: number): number {
  const since = parseSince(text, now);
  if (since === undefined)
    throw new Error(
      `--since is ${text}; it must be a duration such as 7d, 12h or 30m, or a date or time such as 2026-03-01 or 2026-03-01T12:00:00Z`,
    );
  if (since > now) throw new Error(`--since is ${text}; it must not be in the future`);
  return since;
}

function parseSince(text: string, now: number): number | undefined {
  const [, count = '', unit = ''] = /^(\d+)([dhm])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs !== undefined) return now - Number(count) * unitMs;
  return TIME.safeParse(text).success ? Date.parse(text) : undefined;
}
