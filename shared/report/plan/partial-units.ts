import { addMonths, dayNumber, formatDay, monthOf, quarterOf, type Weekday, weekOf } from '../../lib/calendar.ts';
import type { ReportQuery, ReportWarning } from '../query/query.ts';

const UNITS = [
  { field: 'week_date', name: 'week', startOf: weekOf, nextOf: (start: number) => start + 7 },
  { field: 'month_date', name: 'month', startOf: monthOf, nextOf: (start: number) => addMonths(start, 1) },
  { field: 'quarter_date', name: 'quarter', startOf: quarterOf, nextOf: (start: number) => addMonths(start, 3) },
] as const;

/** @returns one warning for each requested dimension whose first or last week, month or quarter has days outside the period */
export function warnPartialUnits(
  { startDate, endDate, dimensions }: Pick<ReportQuery, 'startDate' | 'endDate' | 'dimensions'>,
  weekStartsOn: Weekday,
): ReportWarning[] {
  const [first, last] = [dayNumber(startDate), dayNumber(endDate)];
  return UNITS.flatMap(({ field, name, startOf, nextOf }) => {
    if (!dimensions.includes(field)) return [];
    const starts = [...new Set([first, last].map((day) => startOf(day, weekStartsOn)))];
    const partial = starts.flatMap((start) => {
      const whole = nextOf(start) - start;
      const days = Math.min(last, start + whole - 1) - Math.max(first, start) + 1;
      return days === whole ? [] : [`${days} of the ${whole} days of the ${name} of ${formatDay(start)}`];
    });
    if (partial.length === 0) return [];
    const detail = `The period has only ${partial.join(', and ')}.`;
    return [{ code: 'PARTIAL_UNIT', field, detail, drop: [] } as const];
  });
}
