import * as Plot from '@observablehq/plot';
import type { Formatter } from '../question/format.ts';
import { cutText, measureText } from '../ui/measure-text.ts';
import type { Mark } from './marks.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';

export { cutText, Plot };

export interface DrawOptions {
  readonly format: Formatter;
  /** In pixels. */
  readonly width: number;
}

export const INK = 'var(--ink)';
export const MUTED = 'var(--muted)';
const STYLE = { fontSize: '12px', fontFamily: 'inherit', overflow: 'visible', background: 'none' } as const;

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

/** @returns a panel of the chart with its title */
export function panelOf(title: string, ...drawings: readonly Element[]): HTMLElement {
  const panel = document.createElement('div');
  panel.className = 'panel';
  const heading = document.createElement('p');
  heading.className = 'panel-title small';
  heading.textContent = title;
  panel.append(heading, ...drawings);
  return panel;
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

/** @returns the width in pixels that the texts need at the size of axis labels, at most `max` */
export function textWidth(texts: readonly string[], max: number): number {
  return Math.ceil(Math.min(Math.max(0, ...texts.map(measure)) + 6, max));
}

function measure(text: string): number {
  return measureText(text, 12);
}

/** @returns the lowest and the highest of 0, the values and, if compared, those of the compared period; [0, 1] if all are 0 */
export function domainOf(marks: readonly Mark[], isCompared: boolean): [number, number] {
  let [low, high] = [0, 0];
  for (const { value, previous } of marks) {
    low = Math.min(low, value ?? 0, isCompared ? (previous ?? 0) : 0);
    high = Math.max(high, value ?? 0, isCompared ? (previous ?? 0) : 0);
  }
  return [low, high === low ? low + 1 : high];
}

/** @returns the width of the labels of an axis with these ends, in pixels */
export function axisWidth(ends: readonly number[], column: Panel['column'], format: Formatter): number {
  const ticks = ends.flatMap((end) => [end, end * 0.75]); // a tick between may have more digits
  return Math.max(
    56,
    textWidth(
      ticks.map((tick) => format.compact(column, tick)),
      120,
    ) + 8,
  );
}

/** Options of tips in the page's colours. */
export const TIP = {
  fill: 'var(--surface)',
  stroke: 'var(--line-strong)',
  textPadding: 10,
  lineHeight: 1.4,
  lineWidth: 40,
  fontSize: 12,
} as const;
