import { cutText, textWidth } from '../ui/measure-text.ts';
import { domainOf, valueAxis } from './axes.ts';
import { panelPlot } from './panel-plot.ts';
import type { Panel } from './plan-chart.ts';
import { type Drawing, INK, Plot } from './plot.ts';
import { colorOf } from './series.ts';

/** Maximum number of points with a label; the others show theirs on hover. */
const MAX_LABELS = 6;

/** Maximum width of a label in pixels. */
const MAX_LABEL = 150;
/** Where a label stands above its point; at the edges of the drawing it must not stand in the middle. */
const ANCHORS = ['start', 'middle', 'end'] as const;

interface Point {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** One point per row that has both metrics: the first across, the second upwards. */
export function drawScatter(drawing: Drawing): HTMLElement[] {
  const { plan, format, width } = drawing;
  const [across, upwards] = plan.panels;
  if (across === undefined || upwards === undefined) return [];
  const points = pair(across, upwards);
  const domains = { x: domainOf(across.marks, false), y: domainOf(upwards.marks, false) };
  const height = Math.min(420, Math.max(280, width * 0.45));
  const labelled = pickLabels(points, domains, width, height);
  const title = ({ label, x, y }: Point) =>
    [
      label,
      `${across.title}: ${format.value(across.column, x)}`,
      `${upwards.title}: ${format.value(upwards.column, y)}`,
    ].join('\n');
  const element = panelPlot(upwards, drawing, {
    title: `${upwards.title} ↑`,
    height,
    x: valueAxis('x', domains.x, across.column, format, {
      ticks: Math.max(3, Math.floor(width / 140)),
      label: `${across.title} →`,
    }),
    y: valueAxis('y', domains.y, upwards.column, format),
    marks: [
      Plot.dot(points, { x: 'x', y: 'y', r: 4.5, fill: colorOf(0), fillOpacity: 0.6, stroke: colorOf(0) }),
      ...ANCHORS.map((textAnchor) =>
        Plot.text(
          labelled.filter(({ anchor }) => anchor === textAnchor),
          {
            x: 'x',
            y: 'y',
            text: ({ label }: Point) => cutText(label, MAX_LABEL),
            textAnchor,
            dy: -12,
            fill: INK,
            stroke: 'var(--surface)',
            strokeWidth: 4,
          },
        ),
      ),
      Plot.dot(points, Plot.pointer({ x: 'x', y: 'y', r: 7, stroke: INK })),
    ],
    data: points,
    tip: Plot.pointer({ x: 'x', y: 'y', title }),
  });
  return [element];
}

function pair(across: Panel, upwards: Panel): Point[] {
  return across.marks.flatMap(({ label, value }, index) => {
    const y = upwards.marks[index]?.value ?? null;
    return value === null || y === null ? [] : [{ label, x: value, y }];
  });
}

/**
 * @returns the points furthest to the right, except those whose label would cover another label or a point. Positions
 * are estimated: the margins of the drawing are 80 pixels across and 58 upwards, and a label stands 12 pixels above its
 * point.
 */
function pickLabels(
  points: readonly Point[],
  { x: [minX, maxX], y: [minY, maxY] }: Readonly<Record<'x' | 'y', readonly [number, number]>>,
  width: number,
  height: number,
): (Point & { readonly anchor: (typeof ANCHORS)[number] })[] {
  const placed = points.map((point) => {
    const wide = textWidth([point.label], MAX_LABEL);
    const left = ((point.x - minX) / (maxX - minX)) * (width - 80);
    const above = ((maxY - point.y) / (maxY - minY)) * (height - 58);
    const anchor = left < wide / 2 ? 'start' : left + wide / 2 > width - 80 ? 'end' : 'middle';
    const from = anchor === 'start' ? left : anchor === 'end' ? left - wide : left - wide / 2;
    return { point: { ...point, anchor } as const, left, above, from, to: from + wide };
  });
  const labelled: (typeof placed)[number][] = [];
  for (const own of placed.sort((a, b) => b.left - a.left)) {
    const { above, from, to } = own;
    const isFree =
      labelled.every((other) => other.from > to || other.to < from || Math.abs(other.above - above) > 16) &&
      placed.every(
        (other) =>
          other === own || other.left < from - 6 || other.left > to + 6 || Math.abs(above - 12 - other.above) > 12,
      );
    if (isFree && labelled.length < MAX_LABELS) labelled.push(own);
  }
  return labelled.map(({ point }) => point);
}
