/** Civil dates as `YYYY-MM-DD` and as day numbers (days since 1970-01-01). */
export const DAY_MS = 86_400_000;
const CIVIL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** The accepted years; `Date.UTC` maps the years 0 to 99 to 1900 to 1999. */
export const YEARS = '0100 to 9999';

/** @returns the day number of `YYYY-MM-DD`, or undefined if the text is not an existing date of the accepted years */
export function parseDate(text: string): number | undefined {
  const match = CIVIL_DATE.exec(text);
  if (match === null) return undefined;
  const time = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  return new Date(time).toISOString().startsWith(text) ? time / DAY_MS : undefined;
}

/** @returns whether the text is an existing date in a year before the accepted ones */
export function isTooEarly(text: string): boolean {
  return text.startsWith('00') && parseDate(`20${text.slice(2)}`) !== undefined; // the calendar repeats after 2000 years
}

/** @returns the day number of `YYYY-MM-DD`. @throws RangeError if the text is not an existing date of the accepted years */
export function dayNumber(text: string): number {
  const day = parseDate(text);
  if (day === undefined) throw new RangeError(`${text} is not a date`);
  return day;
}

/**
 * @param day of the years 0 to 9999; others have more digits
 * @returns `YYYY-MM-DD`
 */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** @returns the day of the week as in ISO 8601: 1 for Monday to 7 for Sunday */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1; // day 0 was a Thursday
}

/** @returns the first day of the day's week, as a day number */
export function weekOf(day: number, startsOn: Weekday): number {
  return day - ((weekdayOf(day) + 6 - WEEKDAYS.indexOf(startsOn)) % 7);
}

/** @returns the first day of the day's month, as a day number. @throws RangeError outside the accepted years */
export function monthOf(day: number): number {
  return dayNumber(`${formatDay(day).slice(0, 7)}-01`);
}

/** @returns the first day of the day's quarter, as a day number. @throws RangeError outside the accepted years */
export function quarterOf(day: number): number {
  return addMonths(monthOf(day), -(new Date(day * DAY_MS).getUTCMonth() % 3));
}

/** @returns the first day of the day's year, as a day number. @throws RangeError outside the accepted years */
export function yearOf(day: number): number {
  return dayNumber(`${formatDay(day).slice(0, 4)}-01-01`);
}

/** @returns the number of days in the day's month. @throws RangeError outside the accepted years */
export function daysInMonth(day: number): number {
  const first = new Date(monthOf(day) * DAY_MS);
  return (Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1) - first.getTime()) / DAY_MS;
}

/**
 * @returns the same day of the month that is `months` later (earlier, if negative), or the last day of that month if it is shorter
 * @throws RangeError if that month is outside the accepted years
 */
export function addMonths(day: number, months: number): number {
  const date = new Date(day * DAY_MS);
  const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / DAY_MS;
  return first + Math.min(date.getUTCDate(), daysInMonth(first)) - 1;
}

/** @returns the months `YYYY-MM` that have a day in [first, last], ascending. @throws RangeError outside the accepted years */
export function monthsBetween(first: number, last: number): string[] {
  const months: string[] = [];
  for (let day = monthOf(first); day <= last; day += daysInMonth(day)) months.push(formatDay(day).slice(0, 7));
  return months;
}

/** By time zone: to make a formatter takes longer than what else a listing does. */
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

/** @returns today in the time zone, as a day number. @throws RangeError if the time zone is unknown */
export function todayIn(timeZone: string, now: Date = new Date()): number {
  const formatter = FORMATTERS.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  FORMATTERS.set(timeZone, formatter);
  return dayNumber(formatter.format(now));
}

/** @returns the day before today in the time zone, `YYYY-MM-DD`. @throws RangeError if the time zone is unknown */
export function yesterdayIn(timeZone: string, now?: Date): string {
  return formatDay(todayIn(timeZone, now) - 1);
}
