import { formatDay, parseDate } from './calendar.ts';

/** @returns the day before today in the time zone, `YYYY-MM-DD` */
export function yesterdayIn(timeZone: string, now: Date = new Date()): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  const day = parseDate(today);
  if (day === undefined) throw new RangeError(`${today} is not a date`);
  return formatDay(day - 1);
}
