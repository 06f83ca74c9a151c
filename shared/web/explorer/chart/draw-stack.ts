import { bandAxis, nameAxis, nameWidth, valueAxis } from './axes.ts';
import { keyOf, MAX_BARS, type Mark, valuesAlong } from './marks.ts';
import { panelPlot, tipsOf, tipText } from './panel-plot.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import { type DrawOptions, Plot } from './plot.ts';
import { colorOf } from './series.ts';

/** Stacked bars: upright for dates and sequences, horizontal for the largest categories. */
export function drawStack(plan: ChartPlan, { format, width }: DrawOptions): HTMLElement[] {
  const isUpright = plan.axis?.type === 'date' || plan.isOrdered;
  return plan.panels.map((panel) => {
    const order = (a: Mark, b: Mark) => panel.series.indexOf(a.series) - panel.series.indexOf(b.series);
    const all = [...panel.marks].sort(order);
    const names = isUpright ? valuesAlong(all, plan) : rank(all);
    const shown = isUpright ? names : names.slice(0, MAX_BARS);
    const marks = isUpright ? all : all.filter((mark) => shown.includes(keyOf(mark)));
    const size = isUpright ? { width, height: 280 } : { width, height: shown.length * 26 + 34 };
    const z = { z: 'series', title: (mark: Mark) => tipText(mark, panel, plan, format) } as const;
    const bar = { z: 'series', fill: ({ series }: Mark) => colorOf(plan.series.indexOf(series)) } as const;
    const upright = { x: keyOf, y: 'value' } as const;
    const lying = { x: 'value', y: keyOf } as const;
    const byOrder = { order: null };
    const values = (along: 'x' | 'y', ticks: number) =>
      valueAxis(along, stackDomain(marks), panel.column, format, { ticks });
    if (isUpright) {
      const y = values('y', 5);
      return panelPlot({
        title: panel.title,
        ...size,
        x: bandAxis(shown, plan, format, width - y.room, 0.12),
        y,
        marks: [Plot.rectY(marks, { ...Plot.stackY(byOrder, { ...upright, ...bar }), inset: 0 })],
        tip: tipsOf(marks, Plot.pointer(Plot.stackY(byOrder, { ...upright, ...z }))),
      });
    }
    return panelPlot({
      title: titleOf(panel, shown.length, names.length),
      ...size,
      x: values('x', Math.max(2, Math.floor(width / 140))),
      y: nameAxis(shown, nameWidth(shown, width), 0.25),
      marks: [Plot.barX(marks, Plot.stackX(byOrder, { ...lying, ...bar, insetLeft: 0.5 }))],
      tip: tipsOf(marks, Plot.pointer(Plot.stackX(byOrder, { ...lying, ...z }))),
    });
  });
}

function titleOf({ title }: Panel, shown: number, count: number): string {
  return shown < count ? `${title}: the ${shown} largest of ${count}` : title;
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
