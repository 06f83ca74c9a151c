import { formatDay, isTooEarly, parseDate, YEARS } from '../../lib/calendar.ts';
import type { TimeZone } from './time-zone.ts';
import { DATE, formatValue, Invalid, mismatch } from './value-types.ts';

const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A time of day on a date. `offset` is its zone's offset from UTC in milliseconds, undefined if it has no zone; `hasMore` whether there are fractions of a second. */
interface Timestamp {
  readonly date: string;
  readonly day: number;
  readonly millisecond: number;
  readonly hasMore: boolean;
  readonly offset: number | undefined;
}

/**
 * Reads a day: a date, or a timestamp that is equivalent to one. Without a zone that is midnight; with a zone it is the instant at which a day begins in the
 * platform's zone.
 * @returns `YYYY-MM-DD`
 */
export function parseDay(raw: unknown, zone: TimeZone): string | Invalid {
  if (typeof raw !== 'string') return mismatch(raw, DATE);
  if (parseDate(raw) !== undefined) return raw;
  const timestamp = parseTimestamp(raw);
  if (timestamp === undefined) return noDate(raw);
  return timestamp.offset === undefined
    ? parseLocal(raw, timestamp)
    : parseInstant(raw, timestamp, timestamp.offset, zone);
}

function parseTimestamp(text: string): Timestamp | undefined {
  const [, date = '', hour, minute, second = 0, fraction = '', zone] = TIMESTAMP.exec(text) ?? [];
  const day = parseDate(date);
  if (day === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const millisecond = (Number(hour) * 60 + Number(minute)) * MINUTE_MS + Number(second) * 1_000;
  return {
    date,
    day,
    millisecond,
    hasMore: /[1-9]/.test(fraction),
    offset: zone === undefined ? undefined : offsetOf(zone),
  };
}

/** @param zone such as `Z`, `-05`, `+0530`, `+05:30` */
function offsetOf(zone: string): number {
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

function parseLocal(raw: string, { date, millisecond, hasMore }: Timestamp): string | Invalid {
  if (millisecond === 0 && !hasMore) return date;
  return notDate(raw, `: a timestamp is a date at midnight only; write ${date} if that is the day`);
}

function parseInstant(
  raw: string,
  { day, millisecond, hasMore }: Timestamp,
  offset: number,
  zone: TimeZone,
): string | Invalid {
  const instant = day * DAY_MS + millisecond - offset;
  const begun = hasMore ? undefined : zone.dayBegunAt(instant);
  if (begun !== undefined) return formatDay(begun);
  const [date, time] = new Date(zone.localTime(instant)).toISOString().split(/[T.]/);
  const there = `which is ${time} on ${date} in ${zone.name}`;
  return notDate(
    raw,
    `, ${there}: a timestamp with a zone is a date only if a day begins there at that instant; write ${date} if that is the day`,
  );
}

function notDate(raw: string, why: string): Invalid {
  return new Invalid(`${mismatch(raw, DATE).reason}${why}`);
}

/** 0001-01-01, which some programs write for "always", has a reason of its own. */
function noDate(raw: string): Invalid {
  if (!isTooEarly(raw.slice(0, 'YYYY-MM-DD'.length))) return mismatch(raw, DATE);
  return new Invalid(`must have a year from ${YEARS}, not ${formatValue(raw)}`);
}
