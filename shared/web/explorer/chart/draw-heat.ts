import { colorOf } from '../ui/color-of.ts';
import { bandAxis } from './axes.ts';
import { keyOf, type Mark, valuesAlong } from './marks.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import {
  cutText,
  type DrawOptions,
  domainOf,
  INK,
  MUTED,
  Plot,
  panelOf,
  plot,
  TIP,
  textWidth,
  tipText,
} from './plot.ts';

/** Steps of the legend; the cells have continuous colours. */
const STEPS = 5;
/** In pixels. */
const SCALE_WIDTH = 150;

/** A cell for each pair of values; the darker, the more (the lighter, in dark mode). The scale begins at zero, or at the lowest value if that is negative. */
export function drawHeat(plan: ChartPlan, { format, width }: DrawOptions): HTMLElement[] {
  const [panel] = plan.panels;
  if (panel === undefined) return [];
  const columns = valuesAlong(panel.marks, plan);
  const rows = panel.series;
  const labels = textWidth(rows, Math.min(220, width * 0.3));
  const left = labels + 12;
  const domain = domainOf(panel.marks, false);
  const [from, to] = [colorOf('--heat-low'), colorOf('--heat-high')];
  const drawing = plot({
    width,
    height: rows.length * (rows.length > 16 ? 14 : 22) + 30,
    marginLeft: left,
    marginRight: 4,
    marginTop: 4,
    marginBottom: 24,
    x: { type: 'band', domain: columns, padding: 0.06 },
    y: { type: 'band', domain: rows, padding: 0.06 },
    color: { type: 'linear', domain, range: [from, to], interpolate: 'lab' },
    marks: [
      Plot.cell(panel.marks, { x: keyOf, y: 'series', fill: 'value', rx: 1.5 }),
      bandAxis(columns, plan, format, width - left),
      Plot.axisY({
        ticks: rows,
        tickSize: 0,
        fill: INK,
        label: null,
        tickFormat: (value: string) => cutText(value, labels),
      }),
      Plot.tip(
        panel.marks,
        Plot.pointer({ x: keyOf, y: 'series', title: (mark: Mark) => tipText(mark, panel, plan, format), ...TIP }),
      ),
    ],
  });
  return [panelOf(titleOf(plan, panel), drawing, scaleOf(panel, domain, [from, to], format))];
}

function titleOf({ axis }: ChartPlan, { title }: Panel): string {
  return axis === undefined ? title : `${title} – across: ${axis.title}`;
}

/** The legend: the scale in steps, with the values at its ends. */
function scaleOf(
  { column }: Panel,
  [low, high]: readonly [number, number],
  [from, to]: readonly [string, string],
  format: DrawOptions['format'],
): SVGSVGElement {
  const widthOf = (end: number) => textWidth([format.value(column, end)], 240) + 8;
  const [left, right] = [widthOf(low), widthOf(high)];
  const steps = Array.from({ length: STEPS }, (_, index) => ({ at: index, share: index / (STEPS - 1) }));
  return plot({
    width: left + SCALE_WIDTH + right,
    height: 30,
    marginLeft: left,
    marginRight: right,
    marginTop: 8,
    marginBottom: 8,
    x: { type: 'band', domain: steps.map(({ at }) => at), padding: 0, axis: null },
    color: { type: 'linear', domain: [0, 1], range: [from, to], interpolate: 'lab' },
    marks: [
      Plot.cell(steps, { x: 'at', fill: 'share' }),
      Plot.text([0], {
        frameAnchor: 'left',
        text: () => format.value(column, low),
        textAnchor: 'end',
        dx: -6,
        fill: MUTED,
      }),
      Plot.text([0], {
        frameAnchor: 'right',
        text: () => format.value(column, high),
        textAnchor: 'start',
        dx: 6,
        fill: MUTED,
      }),
    ],
  });
}
