import type { ChartPlan, Panel } from './plan-chart.ts';
import { cutText, type DrawOptions, domainOf, INK, MUTED, Plot, panelOf, plot, TIP } from './plot.ts';
import { colorOf } from './series.ts';

/** Maximum number of points with a label; the others show theirs on hover. */
const MAX_LABELS = 6;

interface Point {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** One point per row that has both metrics: the first across, the second upwards. */
export function drawScatter(plan: ChartPlan, { format, width }: DrawOptions): HTMLElement[] {
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
  const drawing = plot({
    width,
    height,
    marginLeft: 56,
    marginRight: 24,
    marginTop: 14,
    marginBottom: 44,
    x: { domain: domains.x, nice: true },
    y: { domain: domains.y, nice: true },
    color: { type: 'identity' },
    marks: [
      Plot.gridX({ ticks: 6, stroke: 'var(--line)', strokeOpacity: 1 }),
      Plot.gridY({ ticks: 5, stroke: 'var(--line)', strokeOpacity: 1 }),
      Plot.axisX({
        ticks: Math.max(3, Math.floor(width / 140)),
        tickSize: 0,
        fill: MUTED,
        label: `${across.title} →`,
        labelAnchor: 'right',
        labelOffset: 38,
        tickFormat: (value: number) => format.compact(across.column, value),
      }),
      Plot.axisY({
        ticks: 5,
        tickSize: 0,
        fill: MUTED,
        label: null,
        tickFormat: (value: number) => format.compact(upwards.column, value),
      }),
      Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
      Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
      Plot.dot(points, { x: 'x', y: 'y', r: 4.5, fill: colorOf(0), fillOpacity: 0.6, stroke: colorOf(0) }),
      Plot.text(labelled, {
        x: 'x',
        y: 'y',
        text: ({ label }: Point) => cutText(label, 150),
        dy: -12,
        fill: INK,
        stroke: 'var(--surface)',
        strokeWidth: 4,
      }),
      Plot.dot(points, Plot.pointer({ x: 'x', y: 'y', r: 7, stroke: INK })),
      Plot.tip(points, Plot.pointer({ x: 'x', y: 'y', title, ...TIP })),
    ],
  });
  return [panelOf(`${upwards.title} ↑`, drawing)];
}

function pair(across: Panel, upwards: Panel): Point[] {
  return across.marks.flatMap(({ label, value }, index) => {
    const y = upwards.marks[index]?.value ?? null;
    return value === null || y === null ? [] : [{ label, x: value, y }];
  });
}

/**
 * @returns the points furthest to the right, except those whose label would cover another label or a point. Positions and widths are estimated: a
 * character is 7 pixels wide, the margins of the drawing are 80 pixels across and 58 upwards, and a label stands 12 pixels above its point.
 */
function pickLabels(
  points: readonly Point[],
  { x: [minX, maxX], y: [minY, maxY] }: Readonly<Record<'x' | 'y', readonly [number, number]>>,
  width: number,
  height: number,
): Point[] {
  const placed = points.map((point) => ({
    point,
    wide: Math.min(point.label.length, 24) * 7,
    left: ((point.x - minX) / (maxX - minX)) * (width - 80),
    above: ((maxY - point.y) / (maxY - minY)) * (height - 58),
  }));
  const labelled: (typeof placed)[number][] = [];
  for (const own of placed.sort((a, b) => b.left - a.left)) {
    const { left, above, wide } = own;
    const isFree =
      labelled.every(
        (other) => Math.abs(other.left - left) > (other.wide + wide) / 2 || Math.abs(other.above - above) > 16,
      ) &&
      placed.every(
        (other) =>
          other === own || Math.abs(other.left - left) > wide / 2 + 6 || Math.abs(above - 12 - other.above) > 12,
      );
    if (isFree && labelled.length < MAX_LABELS) labelled.push(own);
  }
  return labelled.map(({ point }) => point);
}
