import { SERIES_COLORS } from './marks.ts';
import type { ChartPlan } from './plan-chart.ts';

interface LegendEntry {
  readonly name: string;
  /** Gives the entry its colour. */
  readonly className: string;
}

/** @returns the colour of a series: one of those that the style sheet defines for light and dark */
export function colorOf(index: number): string {
  return `var(--series-${(index % SERIES_COLORS) + 1})`;
}

/** @returns the entries of the legend; [] for a kind of chart that needs none */
export function legendOf({ kind, panels, isCompared, axis, isOrdered }: ChartPlan): readonly LegendEntry[] {
  if (kind === 'heat' || kind === 'scatter' || kind === 'multiples') return [];
  const names = [...new Set(panels.flatMap(({ series }) => series))];
  const entries =
    kind === 'bar'
      ? [{ name: 'This period', className: 'series-1' }]
      : names.map((name, index) => ({ name, className: `series-${(index % SERIES_COLORS) + 1}` }));
  const isUpright = axis?.type === 'date' || isOrdered;
  const previous = kind === 'line' ? 'previous-line' : isUpright ? 'previous-tick' : 'previous-bar';
  return isCompared ? [...entries, { name: 'Compared period', className: previous }] : entries;
}
