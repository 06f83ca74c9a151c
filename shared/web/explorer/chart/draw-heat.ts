import { textWidth } from '../ui/measure-text.ts';
import { resolveColor } from '../ui/resolve-color.ts';
import { bandAxis, domainOf, nameAxis, nameWidth } from './axes.ts';
import { keyOf, type Mark, valuesAlong } from './marks.ts';
import { panelPlot, tipsOf, tipText } from './panel-plot.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import { type DrawOptions, MUTED, Plot, plot } from './plot.ts';

/** Steps of the legend; the cells have continuous colours. */
const STEPS = 5;
/** In pixels. */
const SCALE_WIDTH = 150;

/** A cell for each pair of values; the scale begins at zero, or at the lowest value if that is negative. */
export function drawHeat(plan: ChartPlan, { format, width }: DrawOptions): HTMLElement[] {
  const [panel] = plan.panels;
  if (panel === undefined) return [];
  const rows = panel.series;
  const y = nameAxis(rows, nameWidth(rows, width), 0.06);
  const domain = domainOf(panel.marks, false);
  const range = [resolveColor('--heat-low'), resolveColor('--heat-high')];
  const element = panelPlot({
    title: plan.axis === undefined ? panel.title : `${panel.title} – across: ${plan.axis.title}`,
    width,
    height: rows.length * (rows.length > 16 ? 14 : 22) + 30,
    x: bandAxis(valuesAlong(panel.marks, plan), plan, format, width - y.room, 0.06),
    y,
    color: { type: 'linear', domain, range, interpolate: 'lab' },
    marks: [Plot.cell(panel.marks, { x: keyOf, y: 'series', fill: 'value', rx: 1.5 })],
    tip: tipsOf(
      panel.marks,
      Plot.pointer({ x: keyOf, y: 'series', title: (mark: Mark) => tipText(mark, panel, plan, format) }),
    ),
  });
  element.append(scaleOf(panel, domain, range, format));
  return [element];
}

/** The legend: the scale in steps, with the values at its ends. */
function scaleOf(
  { column }: Panel,
  ends: readonly [number, number],
  range: readonly string[],
  format: DrawOptions['format'],
): SVGSVGElement {
  const [low, high] = ends.map((end) => format.value(column, end));
  const [left, right] = [low, high].map((text = '') => textWidth([text], 240) + 8);
  const steps = Array.from({ length: STEPS }, (_, index) => ({ at: index, share: index / (STEPS - 1) }));
  return plot({
    width: (left ?? 0) + SCALE_WIDTH + (right ?? 0),
    height: 30,
    marginLeft: left ?? 0,
    marginRight: right ?? 0,
    marginTop: 8,
    marginBottom: 8,
    x: { type: 'band', domain: steps.map(({ at }) => at), padding: 0, axis: null },
    color: { type: 'linear', domain: [0, 1], range, interpolate: 'lab' },
    marks: [
      Plot.cell(steps, { x: 'at', fill: 'share' }),
      Plot.text([low], { frameAnchor: 'left', text: String, textAnchor: 'end', dx: -6, fill: MUTED }),
      Plot.text([high], { frameAnchor: 'right', text: String, textAnchor: 'start', dx: 6, fill: MUTED }),
    ],
  });
}
