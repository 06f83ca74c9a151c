import { textWidth } from '../ui/measure-text.ts';
import { resolveColor } from '../ui/resolve-color.ts';
import { bandAxis, domainOf, nameAxis, nameWidth } from './axes.ts';
import { keyOf, valuesAlong } from './marks.ts';
import { panelPlot } from './panel-plot.ts';
import { type Drawing, MUTED, Plot, plot } from './plot.ts';

/** Steps of the legend; the cells have continuous colours. */
const STEPS = 5;
/** In pixels. */
const SCALE_WIDTH = 150;

/** A cell for each pair of values; the scale begins at zero, or at the lowest value if that is negative. */
export function drawHeat(drawing: Drawing): HTMLElement[] {
  const { plan, format, width } = drawing;
  const [panel] = plan.panels;
  if (panel === undefined) return [];
  const rows = panel.series;
  const y = nameAxis(rows, nameWidth(rows, width), 0.06);
  const domain = domainOf(panel.marks, false);
  const range = [resolveColor('--heat-low'), resolveColor('--heat-high')];
  const element = panelPlot(panel, drawing, {
    title: plan.axis === undefined ? panel.title : `${panel.title} – across: ${plan.axis.title}`,
    height: rows.length * (rows.length > 16 ? 14 : 22) + 30,
    x: bandAxis(valuesAlong(panel.marks, plan), drawing, y, 0.06),
    y,
    color: { type: 'linear', domain, range, interpolate: 'lab' },
    marks: [Plot.cell(panel.marks, { x: keyOf, y: 'series', fill: 'value', rx: 1.5 })],
    tip: Plot.pointer({ x: keyOf, y: 'series' }),
  });
  const ends = domain.map((end) => format.value(panel.column, end));
  element.append(scaleOf(ends, range));
  return [element];
}

/** The legend: the scale in steps, with the values at its ends. */
function scaleOf([low = '', high = '']: readonly string[], range: readonly string[]): SVGSVGElement {
  const [left, right] = [textWidth([low], 240) + 8, textWidth([high], 240) + 8];
  const steps = Array.from({ length: STEPS }, (_, index) => ({ at: index, share: index / (STEPS - 1) }));
  return plot({
    width: left + SCALE_WIDTH + right,
    height: 30,
    marginLeft: left,
    marginRight: right,
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
