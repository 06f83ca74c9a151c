import * as Plot from '@observablehq/plot';
import type { Formatter } from '../question/format.ts';
import type { Mark } from './marks.ts';
import type { ChartPlan } from './plan-chart.ts';

export { Plot };

/** A chart that is to be drawn. */
export interface Drawing {
  readonly plan: ChartPlan;
  readonly format: Formatter;
  /** In pixels. */
  readonly width: number;
  /** In small panels beside others, the marks of all of them: they set the scales. */
  readonly all?: readonly Mark[];
}

export const INK = 'var(--ink)';
export const MUTED = 'var(--muted)';
export const LINE = 'var(--line)';
export const STRONG = 'var(--line-strong)';
const STYLE = { fontSize: '12px', fontFamily: 'inherit', overflow: 'visible', background: 'none' } as const;

/**
 * Draws with Plot, and takes out the style element that it adds: the page's policy forbids styles that are not files,
 * and the page's own style sheet replaces it. The drawing is not in the document yet, so the element has had no effect.
 */
export function plot(options: Plot.PlotOptions): SVGSVGElement {
  const drawn = Plot.plot({ className: 'plot', style: STYLE, ...options });
  for (const style of drawn.querySelectorAll('style')) style.remove();
  // the whole drawing is one image with a description, so names of its parts would be lost or wrong; tests find the
  // parts by class
  for (const part of drawn.querySelectorAll('g[aria-label]')) {
    part.setAttribute('class', `part-${part.getAttribute('aria-label')}`);
    part.removeAttribute('aria-label');
  }
  drawn.setAttribute('aria-hidden', 'true'); // so would be those of the texts that Plot adds on hover
  if (!(drawn instanceof SVGSVGElement)) throw new Error('Plot has drawn a figure instead of an SVG element');
  return drawn;
}
