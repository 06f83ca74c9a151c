import { DAY_MS } from '../../../lib/calendar.ts';
import type { Formatter } from '../question/format.ts';
import { cutText, textWidth } from '../ui/measure-text.ts';
import type { Mark } from './marks.ts';
import type { Panel } from './plan-chart.ts';
import { type Drawing, INK, LINE, MUTED, Plot, STRONG } from './plot.ts';

/** An axis of a panel: its scale, the margins at its side and end, and what is drawn below and above the data. */
export interface Axis {
  readonly scale: Plot.ScaleOptions;
  /** Pixels for its labels: left of the drawing, or below it. */
  readonly room: number;
  /** Pixels after its highest value, into which the last label reaches. */
  readonly end: number;
  readonly below: readonly Plot.Markish[];
  readonly above?: readonly Plot.Markish[];
}

/** @returns the lowest and the highest of 0, the values and, if compared, the earlier ones; [0, 1] if all are 0 */
export function domainOf(marks: readonly Mark[], isCompared: boolean): [number, number] {
  let [low, high] = [0, 0];
  for (const { value, previous } of marks) {
    low = Math.min(low, value ?? 0, isCompared ? (previous ?? 0) : 0);
    high = Math.max(high, value ?? 0, isCompared ? (previous ?? 0) : 0);
  }
  return [low, high === low ? low + 1 : high];
}

/** @returns the axis of values on the left or below, with a line across at each tick, and a stronger one at zero */
export function valueAxis(
  along: 'x' | 'y',
  domain: readonly [number, number],
  column: Panel['column'],
  format: Formatter,
  { ticks = 5, label = null }: { readonly ticks?: number; readonly label?: string | null } = {},
): Axis {
  const tickFormat = (value: number) => format.compact(column, value);
  const texts = { ticks, tickSize: 0, tickFormat, fill: MUTED, label, labelAnchor: 'right', labelOffset: 38 } as const;
  const grid = { ticks, stroke: LINE, strokeOpacity: 1 };
  const scale = { domain, nice: true };
  if (along === 'x')
    return {
      scale,
      room: label === null ? 26 : 44,
      end: 24,
      below: [Plot.gridX(grid), Plot.axisX(texts)],
      above: [Plot.ruleX([0], { stroke: STRONG })],
    };
  const ends = domain.flatMap((end) => [end, end * 0.75]); // a tick between may have more digits
  return {
    scale,
    room: Math.max(56, textWidth(ends.map(tickFormat), 120) + 8),
    end: 12,
    below: [Plot.axisY({ ...texts, labelAnchor: 'top' }), Plot.gridY(grid)],
    above: [Plot.ruleY([0], { stroke: STRONG })],
  };
}

/** @returns the axis of dates below lines; each tick has 80 pixels, and a single date a day on both sides */
export function dateAxis(times: readonly number[], { plan, format, width }: Drawing): Axis {
  const distinct = [...new Set(times)].sort((a, b) => a - b);
  const [low = 0, high = 0] = [distinct[0], distinct.at(-1)];
  const margin = low === high ? DAY_MS : 0;
  const every = Math.ceil(distinct.length / Math.max(2, Math.floor(width / 80)));
  const ticks = distinct.filter((_, index) => index % every === 0).map((time) => new Date(time));
  const tickFormat = (date: Date) => tickOf(date, format, plan);
  return {
    scale: { type: 'utc', domain: [new Date(low - margin), new Date(high + margin)] },
    room: 26,
    end: 20,
    below: [Plot.axisX(ticks, { tickSize: 4, fill: MUTED, stroke: LINE, label: null, tickFormat })],
  };
}

/** @returns the axis below a band of values, right of `y`; its ticks have 36 pixels for numbers, 76 for dates, else 90 */
export function bandAxis(
  values: readonly string[],
  { plan, format, ...drawing }: Drawing,
  y: Axis,
  padding: number,
): Axis {
  const width = drawing.width - y.room;
  const isDated = plan.axis?.type === 'date';
  const each = isDated ? 76 : plan.isOrdered ? 36 : 90;
  const every = Math.ceil(values.length / Math.max(2, Math.floor(width / each)));
  const ticks = values.filter((_, index) => index % every === 0);
  const tickFormat = (value: string) => {
    if (isDated) return tickOf(new Date(value), format, plan);
    return plan.isOrdered ? value : cutText(value, (width / values.length) * every - 10);
  };
  return {
    scale: { type: 'band', domain: values, padding },
    room: 24,
    end: 8,
    below: [Plot.axisX({ ticks, tickSize: 0, fill: MUTED, label: null, tickFormat })],
  };
}

/** @returns the width of the names left of a chart of `width` pixels */
export function nameWidth(names: readonly string[], width: number): number {
  return textWidth(names, Math.min(280, Math.max(96, width * 0.34)));
}

/** @returns the axis of names on the left, cut to `labels` pixels; without names if that is 0 */
export function nameAxis(names: readonly string[], labels: number, padding: number): Axis {
  const tickFormat = (name: string) => cutText(name, labels);
  return {
    scale: { type: 'band', domain: names, padding },
    room: labels === 0 ? 4 : labels + 8,
    end: 4,
    below: labels === 0 ? [] : [Plot.axisY({ ticks: names, tickSize: 0, tickFormat, fill: INK, label: null })],
  };
}

/** January 1 has the year in place of the day; months have no day, and quarters have a number. A day that may still change has an asterisk, as in the table. */
function tickOf(date: Date, format: Formatter, { axis, finalThrough }: Drawing['plan']): string {
  const field = axis?.name ?? '';
  if (field === 'quarter_date') return format.date(date.toISOString().slice(0, 10), field);
  const isYear = date.getUTCDate() === 1 && date.getUTCMonth() === 0;
  const day = isYear ? { year: 'numeric' as const } : field === 'month_date' ? {} : { day: 'numeric' as const };
  const mayChange = finalThrough !== null && date.toISOString().slice(0, 10) > finalThrough;
  return `${format.day(date.getTime() / DAY_MS, { month: 'short', ...day })}${mayChange ? ' *' : ''}`;
}
