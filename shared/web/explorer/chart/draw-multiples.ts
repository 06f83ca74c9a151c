import { tickDates, tickOf, valueAxis } from './axes.ts';
import { drawBars } from './draw-bars.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import { axisWidth, cutText, type DrawOptions, domainOf, MUTED, Plot, panelOf, plot, TIP, tipText } from './plot.ts';
import { colorOf } from './series.ts';

/** Width in pixels that each of several charts side by side must have, its gap included. */
const MIN_WIDTH = 240;

/** One small chart for each series: lines or bars, all on the same scale so that they can be compared. */
export function drawMultiples(plan: ChartPlan, options: DrawOptions): HTMLElement[] {
  const [panel] = plan.panels;
  if (panel === undefined) return [];
  const columns = Math.max(1, Math.min(panel.series.length, Math.floor(options.width / MIN_WIDTH)));
  const gap = 20; // at least as `.drawing` in the style sheet
  const width = Math.floor((options.width - gap * (columns - 1)) / columns);
  return panel.series.map((series) => {
    const part: Panel = {
      ...panel,
      title: series,
      series: [series],
      marks: panel.marks.filter((mark) => mark.series === series),
    };
    const element =
      plan.axis?.type === 'date'
        ? drawSmallLine(plan, part, panel, { ...options, width })
        : drawSmallBars(plan, part, panel, { ...options, width });
    element.classList.add('small');
    const heading = element.querySelector<HTMLElement>('.panel-title');
    if (heading !== null) {
      heading.textContent = cutText(series, width * 0.88); // its font is bold
      heading.title = series;
    }
    return element;
  });
}

function drawSmallLine(plan: ChartPlan, part: Panel, all: Panel, { format, width }: DrawOptions): HTMLElement {
  const times = all.marks.flatMap(({ x }) => (x instanceof Date ? [x.getTime()] : []));
  const domain = domainOf(all.marks, false);
  const drawing = plot({
    width,
    height: 130,
    marginLeft: axisWidth(domain, part.column, format),
    marginRight: 14,
    marginTop: 10,
    marginBottom: 22,
    x: { type: 'utc', domain: [new Date(Math.min(...times)), new Date(Math.max(...times))] },
    y: { domain, nice: true },
    marks: [
      ...valueAxis(part.column, format, 3),
      Plot.axisX(tickDates(times, Math.max(2, Math.floor(width / 80))), {
        tickSize: 0,
        fill: MUTED,
        label: null,
        tickFormat: (date: Date) => tickOf(date, format, plan.axis?.name),
      }),
      Plot.areaY(part.marks, { x: 'x', y: 'value', fill: colorOf(0), fillOpacity: 0.12 }),
      Plot.lineY(part.marks, { x: 'x', y: 'value', stroke: colorOf(0), strokeWidth: 1.75 }),
      Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
      Plot.tip(
        part.marks,
        Plot.pointerX({ x: 'x', y: 'value', title: (mark) => tipText(mark, part, plan, format), ...TIP }),
      ),
    ],
  });
  return panelOf(part.title, drawing);
}

function drawSmallBars(plan: ChartPlan, part: Panel, all: Panel, options: DrawOptions): HTMLElement {
  const named = ({ marks }: Panel) => marks.map((mark) => ({ ...mark, label: String(mark.x) }));
  const [element] = drawBars({ ...plan, panels: [{ ...part, marks: named(part) }] }, options, named(all));
  return element ?? panelOf(part.title);
}
