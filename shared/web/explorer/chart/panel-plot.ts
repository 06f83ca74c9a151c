import type { Formatter } from '../question/format.ts';
import type { Axis } from './axes.ts';
import type { Mark } from './marks.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import { Plot, plot, STRONG } from './plot.ts';

const TIP = {
  fill: 'var(--surface)',
  stroke: STRONG,
  textPadding: 10,
  lineHeight: 1.4,
  lineWidth: 40,
  fontSize: 12,
} as const;

interface PanelPlot {
  readonly title: string;
  /** Of the drawing, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: readonly Plot.Markish[];
  /** What appears on hover, and where. */
  readonly tip: Plot.Markish;
  /** Without it, marks have their colours as they stand. */
  readonly color?: Plot.ScaleOptions;
}

/** @returns a panel of a chart: its title, and a drawing whose margins are those of its axes */
export function panelPlot({ title, width, height, x, y, marks, tip, color }: PanelPlot): HTMLElement {
  const drawing = plot({
    width,
    height,
    marginTop: y.end,
    marginRight: x.end,
    marginBottom: x.room,
    marginLeft: y.room,
    x: { ...x.scale, axis: null }, // the axes are among the marks
    y: { ...y.scale, axis: null },
    color: color ?? { type: 'identity' },
    marks: [...y.below, ...x.below, ...marks, ...(x.above ?? []), ...(y.above ?? []), tip],
  });
  const panel = document.createElement('div');
  panel.className = 'panel';
  const heading = document.createElement('p');
  heading.className = 'panel-title small';
  heading.textContent = title;
  panel.append(heading, drawing);
  return panel;
}

/** @returns the tips of marks, in the page's colours; `Plot.pointer` or one of its kind places them */
export function tipsOf<Datum>(data: readonly Datum[], options: Plot.TipOptions): Plot.Markish {
  return Plot.tip(data, { ...options, ...TIP });
}

/** @returns what appears on hover: dimensions, series and value, with that of the compared period */
export function tipText(
  { label, series, value, previous }: Mark,
  { column, title, series: all }: Panel,
  plan: ChartPlan,
  format: Formatter,
): string {
  const dated =
    plan.axis?.type === 'date' ? label.replace(/^\d{4}-\d{2}-\d{2}/, (date) => format.longDate(date)) : label;
  const named = plan.axis?.type === 'integer' && /^\d+$/.test(label) ? `${plan.axis.title} ${label}` : dated;
  // the series, unless label or title has it; else the metric
  const what =
    all.includes(series) && title !== series && !label.includes(series)
      ? `${series}: `
      : `${series === title || all.length === 1 ? title : column.title}: `;
  const before = previous === null ? [] : [`Compared: ${format.value(column, previous)}`];
  return [named, `${what}${format.value(column, value)}`, ...before].join('\n');
}
