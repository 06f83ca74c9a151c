import { NO_VALUE } from '../question/format.ts';
import { textWidth } from '../ui/measure-text.ts';
import { bandAxis, domainOf, nameAxis, nameWidth, valueAxis } from './axes.ts';
import { keyOf, type Mark, uprightBars, valuesAlong } from './marks.ts';
import { panelPlot } from './panel-plot.ts';
import { type Drawing, INK, MUTED, Plot, STRONG } from './plot.ts';
import { colorOf, PREVIOUS } from './series.ts';

/** Height of a row in pixels. */
const ROW = 23;
/** That of a row with a second bar for the compared period. */
const COMPARED_ROW = 34;
/** Minimum width of panels side by side, with their gap, in pixels; with less, one is below the other. */
const MIN_PANEL = 190;

/** Bars from zero: horizontal for categories, upright for dates and sequences. */
export function drawBars(drawing: Drawing): HTMLElement[] {
  const { axis, isOrdered } = drawing.plan;
  return axis?.type === 'date' || isOrdered ? drawUpright(drawing) : drawHorizontal(drawing);
}

/** One panel per metric, as many beside each other as fit; the names stand left of the leftmost. */
function drawHorizontal(drawing: Drawing): HTMLElement[] {
  const { plan, format, width, all } = drawing;
  const names = namesOf(plan.panels.flatMap(({ marks }) => marks));
  const labels = nameWidth(all === undefined ? names : namesOf(all), width);
  const beside = Math.max(1, Math.min(plan.panels.length, Math.floor((width - labels) / MIN_PANEL)));
  const gap = 16; // as `.drawing` in the style sheet
  const each = Math.floor((width - labels - gap * (beside - 1)) / beside);
  return plan.panels.map((panel, index) => {
    const own = index % beside === 0 ? labels : 0;
    const scaled = all ?? panel.marks;
    const values = scaled.flatMap(({ value, previous }) => (plan.isCompared ? [value, previous] : [value]));
    const whole = (value: number | null) => format.value(panel.column, value);
    const short = (value: number | null) => (value === null ? NO_VALUE : format.compact(panel.column, value));
    const show = textWidth(values.map(whole), width) > each * 0.45 ? short : whole; // the table has all digits
    const y = nameAxis(names, own, 0.28);
    const element = panelPlot(
      panel,
      { ...drawing, width: each + own },
      {
        height: names.length * (plan.isCompared ? COMPARED_ROW : ROW) + 6,
        x: {
          scale: { domain: domainOf(scaled, plan.isCompared) },
          room: 2,
          end: textWidth(values.map(show), each * 0.6) + 10,
          below: [],
          above: [Plot.ruleX([0], { stroke: STRONG })],
        },
        y,
        marks: (plan.isCompared ? COMPARED : ALONE).flatMap((style) => labelledBars(panel.marks, show, style)),
        tip: Plot.pointerY({ x: 'value', y: 'label' }),
      },
    );
    if (beside > 1) element.style.setProperty('--labels', `${y.room}px`); // the title begins above the bars
    return element;
  });
}

function namesOf(marks: readonly Mark[]): string[] {
  return [...new Set(marks.map(({ label }) => label))];
}

interface BarStyle {
  readonly channel: 'value' | 'previous';
  readonly fill: string;
  readonly ink: string;
  readonly fontSize: number;
  /** Pixels that the row has above and below the bar. */
  readonly insets: readonly [number, number];
  /** Distance of the label below the middle of the row, in pixels. */
  readonly dy: number;
}

const VALUE = { channel: 'value', fill: colorOf(0), fontSize: 12 } as const;
const ALONE: readonly BarStyle[] = [{ ...VALUE, ink: MUTED, insets: [0, 0], dy: 0 }];
const COMPARED: readonly BarStyle[] = [
  { ...VALUE, ink: INK, insets: [0, 10], dy: -5 },
  { channel: 'previous', fill: PREVIOUS, ink: MUTED, fontSize: 11, insets: [15, 0], dy: 7.5 },
];

/** Bars with their values at their ends, or at zero for negative ones; no value has no bar. */
function labelledBars(
  marks: readonly Mark[],
  show: (value: number | null) => string,
  { channel, fill, ink, fontSize, insets: [insetTop, insetBottom], dy }: BarStyle,
) {
  return [
    Plot.barX(marks, { x: channel, y: 'label', fill, rx2: 2, insetTop, insetBottom }),
    Plot.text(marks, {
      x: (mark: Mark) => Math.max(mark[channel] ?? 0, 0),
      y: 'label',
      text: (mark: Mark) => show(mark[channel]),
      textAnchor: 'start',
      fontSize,
      dx: 6,
      dy,
      fill: ink,
    }),
  ];
}

function drawUpright(drawing: Drawing): HTMLElement[] {
  const { plan, format, all } = drawing;
  return plan.panels.map((panel) => {
    const scaled = all ?? panel.marks;
    const y = valueAxis('y', domainOf(scaled, plan.isCompared), panel.column, format);
    return panelPlot(panel, drawing, {
      height: 200,
      x: bandAxis(valuesAlong(scaled, plan), drawing, y, 0.18),
      y,
      marks: [
        ...uprightBars(panel.marks, plan, (marks, style) =>
          Plot.barY(marks, { x: keyOf, y: 'value', fill: colorOf(0), stroke: colorOf(0), ry2: 2, ...style }),
        ),
        plan.isCompared ? Plot.tickY(panel.marks, { x: keyOf, y: 'previous', stroke: INK, strokeWidth: 2 }) : null,
      ],
      tip: Plot.pointerX({ x: keyOf, y: 'value' }),
    });
  });
}
