import { DAY_MS } from '../../../lib/calendar.ts';
import { isCurrency } from '../question/format.ts';
import { tickDates, tickOf, valueAxis } from './axes.ts';
import type { Mark } from './marks.ts';
import type { ChartPlan, Panel } from './plan-chart.ts';
import { axisWidth, type DrawOptions, domainOf, MUTED, Plot, panelOf, plot, TIP, tipText } from './plot.ts';
import { colorOf } from './series.ts';

/** Lines over dates, one chart for each panel. All axes of values include zero. */
export function drawLines(plan: ChartPlan, { format, width }: DrawOptions): HTMLElement[] {
  const domains = new Map(plan.panels.map((panel) => [panel, domainOf(panel.marks, plan.isCompared)]));
  const lefts = [...domains].map(([{ column }, domain]) => axisWidth(domain, column, format));
  return [...domains].map(([panel, domain]) => {
    const marks = panel.marks.filter(isDated);
    const dates = marks.map(({ x }) => x.getTime());
    const color = ({ series: name }: Mark) => colorOf(plan.series.indexOf(name));
    const points = {
      x: 'x',
      y: 'value',
      z: 'series',
      title: (mark: Mark) => tipText(mark, panel, plan, format),
    } as const;
    const isShort = new Set(dates).size < 40; // short lines have a dot for each value
    const drawing = plot({
      width,
      height: plan.panels.length > 1 ? 190 : 260,
      marginLeft: Math.max(...lefts), // the same dates stand below each other
      marginRight: 20,
      marginTop: 14,
      marginBottom: 26,
      x: { type: 'utc', domain: spread(dates) },
      y: { domain, nice: true, zero: true },
      marks: [
        ...valueAxis(panel.column, format),
        Plot.axisX(tickDates(dates, Math.max(2, Math.floor(width / 90))), {
          tickSize: 4,
          fill: MUTED,
          stroke: 'var(--line)',
          label: null,
          tickFormat: (date: Date) => tickOf(date, format, plan.axis?.name),
        }),
        Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
        plan.isCompared
          ? Plot.lineY(marks, {
              x: 'x',
              y: 'previous',
              z: 'series',
              stroke: color,
              strokeDasharray: '2,4',
              strokeWidth: 1.5,
              strokeOpacity: 0.75,
            })
          : null,
        Plot.lineY(marks, { x: 'x', y: 'value', z: 'series', stroke: color, strokeWidth: 2, strokeLinejoin: 'round' }),
        Plot.dot(
          isShort ? marks : panel.series.flatMap((name) => isolated(marks.filter((mark) => mark.series === name))),
          {
            x: 'x',
            y: 'value',
            fill: color,
            r: 2.2,
          },
        ),
        Plot.ruleX(marks, Plot.pointerX({ x: 'x', stroke: MUTED, strokeOpacity: 0.5 })),
        Plot.dot(
          marks,
          Plot.pointer({ x: 'x', y: 'value', fill: color, stroke: 'var(--surface)', r: 4.5, maxRadius: 200 }),
        ),
        Plot.tip(marks, Plot.pointer({ ...points, ...TIP, maxRadius: 200 })),
      ],
      color: { type: 'identity' },
    });
    return panelOf(titleOf(panel), drawing);
  });
}

function titleOf({ title, column }: Panel): string {
  return isCurrency(column.unit) ? `${title} (${column.unit})` : title;
}

function isDated(mark: Mark): mark is Mark & { readonly x: Date } {
  return mark.x instanceof Date;
}

/** @returns the marks between gaps, which no line reaches */
function isolated(marks: readonly Mark[]): readonly Mark[] {
  const isEmpty = (mark: Mark | undefined) => mark === undefined || mark.value === null;
  return marks.filter((_, index) => isEmpty(marks[index - 1]) && isEmpty(marks[index + 1]));
}

/** A single date gets a day on both sides. */
function spread(dates: readonly number[]): [Date, Date] {
  const [low, high] = [Math.min(...dates), Math.max(...dates)];
  const margin = low === high ? DAY_MS : 0;
  return [new Date(low - margin), new Date(high + margin)];
}
