import { dayNumber, formatDay, isTooEarly, parseDate, YEARS } from '../../lib/calendar.ts';
import { HOUR_MS, type TimeZone } from './time-zone.ts';
import { DATE, formatValue, Invalid, mismatch } from './value-types.ts';

/** The parts: date, hour and minute, `:` and second, fraction, UTC, hours and minutes of another offset. */
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(?:\.(\d+))?)?(?: ?(?:(Z|UTC)|([+-](?:0\d|1[0-8]))(?::?([0-5]\d))?))?$/i;

/** Integers that are days since 1970 in Parquet: from 2000 to 2069, so that spreadsheets, which count from 1900, have none of these years in them. */
const EPOCH_DAYS = { first: dayNumber('2000-01-01'), last: dayNumber('2069-12-31') };

/**
 * Reads a day: a date, or a timestamp that is equivalent to one. Without a zone that is midnight; with a zone it is the instant at which a day begins in the
 * platform's zone.
 * @returns `YYYY-MM-DD`
 */
export function parseDay(raw: unknown, zone: TimeZone): string | Invalid {
  const number = typeof raw === 'bigint' ? Number(raw) : raw;
  if (typeof number === 'number' && Number.isInteger(number) && number >= EPOCH_DAYS.first && number <= EPOCH_DAYS.last)
    return formatDay(number);
  if (typeof raw !== 'string') return mismatch(raw, DATE);
  if (parseDate(raw) !== undefined) return raw;
  const parts = splitTimestamp(raw);
  if (parts === undefined) return notTimestamp(raw);
  const { date, time, hasMore, offset } = parts;
  if (offset !== undefined) return parseInstant(raw, Date.parse(`${date}T${time}${offset}`), hasMore, zone);
  if (time === '00:00:00' && !hasMore) return date;
  return notDate(raw, `: a timestamp is a date at midnight only; write ${date} if that is the day`);
}

/** @returns the parts of a timestamp, and whether it has a fraction of a second, which `time` lacks; undefined if it is none */
function splitTimestamp(raw: string) {
  const [, date = '', minute, second = ':00', fraction = '', utc, hours, minutes = '00'] = TIMESTAMP.exec(raw) ?? [];
  if (parseDate(date) === undefined) return undefined;
  const offset = hours === undefined ? utc && 'Z' : `${hours}:${minutes}`;
  return { date, time: `${minute}${second}`, hasMore: /[1-9]/.test(fraction), offset };
}

/** A day's hours in files: the second of two that clocks repeat is 24 later than the first. */
export const CODED_HOURS = 48;

/** @returns day number × `CODED_HOURS` + hour, if the hour is given as its first instant with the zone's offset; undefined if it is given otherwise */
export function parseHourOfDay(raw: unknown, zone: TimeZone): number | Invalid | undefined {
  const { date, time, hasMore, offset } = (typeof raw === 'string' && splitTimestamp(raw)) || {};
  if (offset === undefined || hasMore || !time?.endsWith(':00:00')) return undefined;
  const [instant = 0, local = 0] = [offset, 'Z'].map((zoneOf) => Date.parse(`${date}T${time}${zoneOf}`));
  if (local < 0) return undefined; // no day of facts
  const there = zone.localTime(instant);
  if (there !== local)
    return new Invalid(
      `is ${formatValue(raw)}, which is ${new Date(there).toISOString().slice(0, 16)} in ${zone.name}: write time and offset of that zone, or the hour alone`,
    );
  const hours = local / HOUR_MS;
  const isSecond = zone.localTime(instant - HOUR_MS) === local;
  return Math.floor(hours / 24) * CODED_HOURS + (hours % 24) + (isSecond ? 24 : 0);
}

/** @param hasMore whether the timestamp has a fraction of a second, which `instant` lacks */
function parseInstant(raw: string, instant: number, hasMore: boolean, zone: TimeZone): string | Invalid {
  const [date = '', time] = new Date(zone.localTime(instant)).toISOString().split(/[T.]/);
  if (parseDate(date) === undefined) return mismatch(raw, DATE);
  if (!hasMore && zone.isStartOfDay(instant)) return date;
  const there = `which is ${time} on ${date} in ${zone.name}`;
  return notDate(
    raw,
    `, ${there}: a timestamp with a zone is a date only if a day begins there at that instant; write ${date} if that is the day`,
  );
}

function notDate(raw: string, why: string): Invalid {
  return new Invalid(`${mismatch(raw, DATE).reason}${why}`);
}

/** A date before the accepted years has a reason of its own: some programs write 0001-01-01 for "always". */
function notTimestamp(raw: string): Invalid {
  if (!isTooEarly(raw.slice(0, 'YYYY-MM-DD'.length))) return mismatch(raw, DATE);
  return new Invalid(`must have a year from ${YEARS}, not ${formatValue(raw)}`);
}
