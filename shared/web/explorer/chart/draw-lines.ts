import { isCurrency } from '../question/format.ts';
import { dateAxis, domainOf, valueAxis } from './axes.ts';
import { keyOf, type Mark } from './marks.ts';
import { panelPlot } from './panel-plot.ts';
import type { Panel } from './plan-chart.ts';
import { type Drawing, MUTED, Plot } from './plot.ts';
import { colorOf } from './series.ts';

/** Lines over dates, one chart for each panel; the line of a small panel has an area below it. All axes of values include zero. */
export function drawLines(drawing: Drawing): HTMLElement[] {
  const { plan, format, all } = drawing;
  const axisOf = ({ marks, column }: Panel) =>
    valueAxis('y', domainOf(all ?? marks, plan.isCompared), column, format, { ticks: all === undefined ? 5 : 3 });
  const room = Math.max(...plan.panels.map((panel) => axisOf(panel).room)); // the same dates stand below each other
  return plan.panels.map((panel) => {
    const marks = panel.marks.filter(isDated);
    const dates = (all?.filter(isDated) ?? marks).map(({ x }) => x.getTime());
    const stroke = ({ series: name }: Mark) => colorOf(plan.series.indexOf(name));
    const at = { x: 'x', y: 'value', z: 'series' } as const;
    const near = { x: 'x', y: 'value', maxRadius: 200 } as const;
    const hasDots = all === undefined && new Set(dates).size < 40;
    const dotted = hasDots
      ? marks
      : panel.series.flatMap((name) => isolated(marks.filter((mark) => mark.series === name)));
    return panelPlot(panel, drawing, {
      title: all === undefined && isCurrency(panel.column.unit) ? `${panel.title} (${panel.column.unit})` : panel.title,
      height: all !== undefined ? 130 : plan.panels.length > 1 ? 190 : 260,
      x: dateAxis(dates, drawing),
      y: { ...axisOf(panel), room },
      marks: [
        all === undefined ? null : Plot.areaY(marks, { ...at, fill: stroke, fillOpacity: 0.12 }),
        plan.isCompared
          ? Plot.lineY(marks, {
              ...at,
              y: 'previous',
              stroke,
              strokeDasharray: '2,4',
              strokeWidth: 1.5,
              strokeOpacity: 0.75,
            })
          : null,
        Plot.lineY(marks, { ...at, y: wholeOf(plan), stroke, strokeWidth: 2, strokeLinejoin: 'round' }),
        Plot.lineY(marks, { ...at, y: partialOf(plan, marks), stroke, strokeWidth: 2, strokeDasharray: '5,4' }),
        Plot.dot(dotted, { x: 'x', y: 'value', fill: stroke, r: 2.2 }),
        Plot.ruleX(marks, Plot.pointerX({ x: 'x', stroke: MUTED, strokeOpacity: 0.5 })),
        Plot.dot(marks, Plot.pointer({ ...near, fill: stroke, stroke: 'var(--surface)', r: 4.5 })),
      ],
      data: marks,
      tip: Plot.pointer(near),
    });
  });
}

function isDated(mark: Mark): mark is Mark & { readonly x: Date } {
  return mark.x instanceof Date;
}

/** @returns what reads the value of a mark, if it is of whole days */
function wholeOf({ partial }: Drawing['plan']) {
  return (mark: Mark) => (partial.has(keyOf(mark)) ? null : mark.value);
}

/** @returns what reads the value of a mark that is of a part of its days, or beside such a one */
function partialOf({ partial }: Drawing['plan'], marks: readonly Mark[]) {
  const dates = [...new Set(marks.map(keyOf))].sort();
  const near = new Set(
    dates.filter((_, index) => dates.slice(Math.max(0, index - 1), index + 2).some((date) => partial.has(date))),
  );
  return (mark: Mark) => (near.has(keyOf(mark)) ? mark.value : null);
}

/** @returns the marks between gaps, which no line reaches */
function isolated(marks: readonly Mark[]): readonly Mark[] {
  const isEmpty = (mark: Mark | undefined) => mark === undefined || mark.value === null;
  return marks.filter((_, index) => isEmpty(marks[index - 1]) && isEmpty(marks[index + 1]));
}
