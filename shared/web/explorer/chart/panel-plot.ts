import { DAY } from '../question/compare-rows.ts';
import { cutText } from '../ui/measure-text.ts';
import type { Axis } from './axes.ts';
import type { Mark } from './marks.ts';
import type { Panel } from './plan-chart.ts';
import { type Drawing, Plot, plot, STRONG } from './plot.ts';

const TIP = {
  fill: 'var(--surface)',
  stroke: STRONG,
  textPadding: 10,
  lineHeight: 1.4,
  lineWidth: 40,
  fontSize: 12,
} as const;

interface PanelPlot {
  /** That of the panel, if no other is given. */
  readonly title?: string;
  /** In pixels. */
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly marks: readonly Plot.Markish[];
  /** What has a text on hover; the marks of the panel, if no others are given. */
  readonly data?: Plot.Data;
  /** Where the text appears: the options that `Plot.pointer` or one of its kind returns, with `title` for another text. */
  readonly tip: Plot.TipOptions;
  /** Without it, marks have their colours as they stand. */
  readonly color?: Plot.ScaleOptions;
}

/** @returns a panel of a chart: its title, and a plot whose margins are those of its axes */
export function panelPlot(panel: Panel, drawing: Drawing, options: PanelPlot): HTMLElement {
  const { title = panel.title, height, x, y, marks, data = panel.marks, tip, color } = options;
  const drawn = plot({
    width: drawing.width,
    height,
    marginTop: y.end,
    marginRight: x.end,
    marginBottom: x.room,
    marginLeft: y.room,
    x: { ...x.scale, axis: null }, // the axes are among the marks
    y: { ...y.scale, axis: null },
    color: color ?? { type: 'identity' },
    marks: [
      ...y.below,
      ...x.below,
      ...marks,
      ...(x.above ?? []),
      ...(y.above ?? []),
      Plot.tip(data, { title: (mark: Mark) => tipText(mark, panel, drawing), ...tip, ...TIP }),
    ],
  });
  const element = document.createElement('div');
  element.className = 'panel';
  const heading = document.createElement('p');
  heading.className = 'panel-title small';
  heading.textContent = title;
  if (drawing.all !== undefined) {
    heading.textContent = cutText(title, drawing.width * 0.88); // its font is bold
    heading.title = title;
  }
  element.append(heading, drawn);
  return element;
}

/** @returns what appears on hover: dimensions, series and value, with that of the compared period */
function tipText(
  { label, series, value, previous }: Mark,
  { column, title, series: all }: Panel,
  { plan, format }: Drawing,
): string {
  const { axis } = plan;
  const dateOf = (date: string) => {
    if (axis === undefined || axis.name === DAY) return format.longDate(date);
    return `${axis.name === 'week_date' ? 'Week of ' : ''}${format.date(date, axis.name)}`;
  };
  const dated = axis?.type === 'date' ? label.replace(/^\d{4}-\d{2}-\d{2}/, dateOf) : label;
  const named = axis?.type === 'integer' && /^\d+$/.test(label) ? `${axis.title} ${label}` : dated;
  // the series, unless label or title has it; else the metric
  const what =
    all.includes(series) && title !== series && !label.includes(series)
      ? `${series}: `
      : `${series === title || all.length === 1 ? title : column.title}: `;
  const before = previous === null ? [] : [`Compared: ${format.value(column, previous)}`];
  return [named, `${what}${format.value(column, value)}`, ...before].join('\n');
}
