import * as Plot from '@observablehq/plot';
import type { Formatter } from '../question/format.ts';
import type { Axis } from './axes.ts';
import type { Mark } from './marks.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';

export { Plot };

export interface DrawOptions {
  readonly format: Formatter;
  /** In pixels. */
  readonly width: number;
}

export const INK = 'var(--ink)';
export const MUTED = 'var(--muted)';
export const LINE = 'var(--line)';
export const STRONG = 'var(--line-strong)';
const STYLE = { fontSize: '12px', fontFamily: 'inherit', overflow: 'visible', background: 'none' } as const;
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

/**
 * Draws with Plot, and takes out the style element that it adds: the page's policy forbids styles that are not files, and the page's own style sheet
 * replaces it. The drawing is not in the document yet, so the element has had no effect.
 */
export function plot(options: Plot.PlotOptions): SVGSVGElement {
  const drawn = Plot.plot({ className: 'plot', style: STYLE, ...options });
  for (const style of drawn.querySelectorAll('style')) style.remove();
  // the whole drawing is one image with a description, so names of its parts would be lost or wrong; tests find the parts by class
  for (const part of drawn.querySelectorAll('g[aria-label]')) {
    part.setAttribute('class', `part-${part.getAttribute('aria-label')}`);
    part.removeAttribute('aria-label');
  }
  if (!(drawn instanceof SVGSVGElement)) throw new Error('Plot has drawn a figure instead of an SVG element');
  return drawn;
}

/** @param options where the tips are, by `Plot.pointer` or one of its kind @returns the tips of marks, in the page's colours */
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
