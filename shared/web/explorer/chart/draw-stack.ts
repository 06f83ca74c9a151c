import { bandAxis, nameAxis, nameWidth, valueAxis } from './axes.ts';
import { keyOf, MAX_BARS, type Mark, uprightBars, valuesAlong } from './marks.ts';
import { panelPlot } from './panel-plot.ts';
import { type Drawing, Plot } from './plot.ts';
import { colorOf } from './series.ts';

/** Stacked bars: upright for dates and sequences, horizontal for the largest categories. */
export function drawStack(drawing: Drawing): HTMLElement[] {
  const { plan, format, width } = drawing;
  const isUpright = plan.axis?.type === 'date' || plan.isOrdered;
  return plan.panels.map((panel) => {
    const order = (a: Mark, b: Mark) => panel.series.indexOf(a.series) - panel.series.indexOf(b.series);
    const all = [...panel.marks].sort(order);
    const fill = ({ series }: Mark) => colorOf(plan.series.indexOf(series));
    if (isUpright) {
      const y = valueAxis('y', stackDomain(all), panel.column, format);
      const stacks = Plot.stackY({ order: null }, { x: keyOf, y: 'value', z: 'series' });
      return panelPlot(panel, drawing, {
        height: 280,
        x: bandAxis(valuesAlong(all, plan), drawing, y, 0.12),
        y,
        marks: uprightBars(all, plan, (marks, style) =>
          Plot.rectY(marks, { ...stacks, fill, stroke: fill, inset: 0, ...style }),
        ),
        data: all,
        tip: Plot.pointer(stacks),
      });
    }
    const names = rank(all);
    const shown = names.slice(0, MAX_BARS);
    const marks = all.filter((mark) => shown.includes(keyOf(mark)));
    const ticks = Math.max(2, Math.floor(width / 140));
    const stacks = Plot.stackX({ order: null }, { x: 'value', y: keyOf, z: 'series' });
    return panelPlot(panel, drawing, {
      title: `${panel.title}${shown.length < names.length ? `: the ${shown.length} largest of ${names.length}` : ''}`,
      height: shown.length * 26 + 34,
      x: valueAxis('x', stackDomain(marks), panel.column, format, { ticks }),
      y: nameAxis(shown, nameWidth(shown, width), 0.25),
      marks: [Plot.barX(marks, { ...stacks, fill, insetLeft: 0.5 })],
      data: marks,
      tip: Plot.pointer(stacks),
    });
  });
}

/** @returns the places of the stacks, the largest first */
function rank(marks: readonly Mark[]): string[] {
  return [...sumsOf(marks)].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Values below zero are stacked downwards. */
function stackDomain(marks: readonly Mark[]): [number, number] {
  const low = Math.min(0, ...sumsOf(marks.filter(({ value }) => (value ?? 0) < 0)).values());
  const high = Math.max(0, ...sumsOf(marks.filter(({ value }) => (value ?? 0) > 0)).values());
  return [low, high === low ? low + 1 : high];
}

/** @returns the sum of each stack by its place on the axis */
function sumsOf(marks: readonly Mark[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const mark of marks) sums.set(keyOf(mark), (sums.get(keyOf(mark)) ?? 0) + (mark.value ?? 0));
  return sums;
}
