import { dayNumber, formatDay } from '../../shared/lib/calendar.ts';

/** @returns the seven days that end with `end`, `YYYY-MM-DD`, as a report asks for them */
export function lastWeek(end: string): { readonly startDate: string; readonly endDate: string } {
  return { startDate: formatDay(dayNumber(end) - 6), endDate: end };
}
