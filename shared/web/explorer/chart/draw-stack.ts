import { bandAxis, valueAxis } from './axes.ts';
import { keyOf, MAX_BARS, type Mark, valuesAlong } from './marks.ts';
import type { ChartPlan } from './plan-chart.ts';
import {
  axisWidth,
  cutText,
  type DrawOptions,
  INK,
  MUTED,
  Plot,
  panelOf,
  plot,
  TIP,
  textWidth,
  tipText,
} from './plot.ts';
import { colorOf } from './series.ts';

/** Stacked bars of a metric whose parts may be added up. */
export function drawStack(plan: ChartPlan, { format, width }: DrawOptions): HTMLElement[] {
  return plan.panels.map((panel) => {
    const color = ({ series }: Mark) => colorOf(plan.series.indexOf(series));
    const title = (mark: Mark) => tipText(mark, panel, plan, format);
    const order = (a: Mark, b: Mark) => panel.series.indexOf(a.series) - panel.series.indexOf(b.series);
    const marks = [...panel.marks].sort(order);
    if (plan.axis?.type === 'date' || plan.isOrdered) {
      const values = valuesAlong(panel.marks, plan);
      const marginLeft = axisWidth([Math.max(...sumsOf(marks).values())], panel.column, format);
      const stacked = Plot.stackY({ order: null }, { x: keyOf, y: 'value', fill: color, z: 'series' });
      return panelOf(
        panel.title,
        plot({
          width,
          height: 280,
          marginLeft,
          marginRight: 8,
          marginTop: 12,
          marginBottom: 24,
          x: { type: 'band', domain: values, padding: 0.12 },
          y: { nice: true, zero: true },
          color: { type: 'identity' },
          marks: [
            ...valueAxis(panel.column, format),
            bandAxis(values, plan, format, width - marginLeft),
            Plot.rectY(marks, { ...stacked, inset: 0 }),
            Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
            Plot.tip(
              marks,
              Plot.pointer(Plot.stackY({ order: null }, { x: keyOf, y: 'value', z: 'series', title, ...TIP })),
            ),
          ],
        }),
      );
    }
    const names = [...new Set(marks.map(({ x }) => String(x)))];
    const ranked = rank(names, marks).slice(0, MAX_BARS);
    const shown = marks.filter(({ x }) => ranked.includes(String(x)));
    const labels = textWidth(ranked, Math.min(280, Math.max(96, width * 0.34)));
    return panelOf(
      ranked.length < names.length ? `${panel.title}: the ${ranked.length} largest of ${names.length}` : panel.title,
      plot({
        width,
        height: ranked.length * 26 + 34,
        marginLeft: labels + 8,
        marginRight: 16,
        marginTop: 4,
        marginBottom: 28,
        x: { nice: true, zero: true },
        y: { domain: ranked, padding: 0.25 },
        color: { type: 'identity' },
        marks: [
          Plot.gridX({ ticks: 5, stroke: 'var(--line)', strokeOpacity: 1 }),
          Plot.axisX({
            ticks: Math.max(2, Math.floor(width / 140)),
            tickSize: 0,
            tickFormat: (value: number) => format.compact(panel.column, value),
            fill: MUTED,
            label: null,
          }),
          Plot.axisY({ tickSize: 0, tickFormat: (name: string) => cutText(name, labels), fill: INK, label: null }),
          Plot.barX(
            shown,
            Plot.stackX(
              { order: null },
              { x: 'value', y: (mark: Mark) => String(mark.x), fill: color, z: 'series', insetLeft: 0.5 },
            ),
          ),
          Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
          Plot.tip(
            shown,
            Plot.pointer(
              Plot.stackX(
                { order: null },
                { x: 'value', y: (mark: Mark) => String(mark.x), z: 'series', title, ...TIP },
              ),
            ),
          ),
        ],
      }),
    );
  });
}

function rank(names: readonly string[], marks: readonly Mark[]): string[] {
  const sums = sumsOf(marks);
  return [...names].sort((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0));
}

/** @returns the sum of each stack by its place on the axis */
function sumsOf(marks: readonly Mark[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const mark of marks) sums.set(keyOf(mark), (sums.get(keyOf(mark)) ?? 0) + (mark.value ?? 0));
  return sums;
}
