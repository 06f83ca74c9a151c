import { DAY_MS } from '../../../lib/calendar.ts';
import type { Formatter } from '../question/format.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import { cutText, MUTED, Plot } from './plot.ts';

/** @returns the axis of values on the left, with a line across at each tick */
export function valueAxis(column: Panel['column'], format: Formatter, ticks = 5) {
  return [
    Plot.axisY({
      ticks,
      tickSize: 0,
      tickFormat: (value: number) => format.compact(column, value),
      fill: MUTED,
      label: null,
    }),
    Plot.gridY({ ticks, stroke: 'var(--line)', strokeOpacity: 1 }),
  ];
}

/** @returns the axis below a band of values, with a tick for each n-th, so that numbers have 36 pixels, dates 76 and other texts 90 */
export function bandAxis(values: readonly string[], plan: ChartPlan, format: Formatter, width: number) {
  const isDated = plan.axis?.type === 'date';
  const room = isDated ? 76 : plan.isOrdered ? 36 : 90;
  const every = Math.ceil(values.length / Math.max(2, Math.floor(width / room)));
  return Plot.axisX({
    ticks: values.filter((_, index) => index % every === 0),
    tickSize: 0,
    fill: MUTED,
    label: null,
    tickFormat: (value: string) => {
      if (isDated) return tickOf(new Date(value), format, plan.axis?.name);
      return plan.isOrdered ? value : cutText(value, (width / values.length) * every - 10);
    },
  });
}

/** January 1 has the year in place of the day. @param field the dimension: months have no day, and quarters have a number */
export function tickOf(date: Date, format: Formatter, field = ''): string {
  if (field === 'quarter_date') return format.date(date.toISOString().slice(0, 10), field);
  const isYear = date.getUTCDate() === 1 && date.getUTCMonth() === 0;
  const day = isYear ? { year: 'numeric' as const } : field === 'month_date' ? {} : { day: 'numeric' as const };
  return format.day(date.getTime() / DAY_MS, { month: 'short', ...day });
}

/** @returns at most `max` of the dates, ascending: the first, and every n-th after it */
export function tickDates(times: readonly number[], max: number): Date[] {
  const distinct = [...new Set(times)].sort((a, b) => a - b);
  const every = Math.ceil(distinct.length / max);
  return distinct.filter((_, index) => index % every === 0).map((time) => new Date(time));
}
