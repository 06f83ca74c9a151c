import { dayNumber, formatDay } from '../../../../shared/lib/calendar.ts';

/** @returns the day `count` days after `day`, both `YYYY-MM-DD` */
export function addDays(day: string, count: number): string {
  return formatDay(dayNumber(day) + count);
}

/** @returns 0 for Sunday … 6 for Saturday */
export function weekdayOf(day: string): number {
  return (dayNumber(day) + 4) % 7; // day 0 was a Thursday
}

/** @returns 1 … 366 */
export function dayOfYear(day: string): number {
  return dayNumber(day) - dayNumber(`${day.slice(0, 4)}-01-01`) + 1;
}
