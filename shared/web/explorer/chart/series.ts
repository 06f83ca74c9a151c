import type { ChartPlan } from './plan-chart.ts';

interface LegendEntry {
  readonly name: string;
  /** Gives the entry its colour. */
  readonly className: string;
}

/** @param index of the series in the plan, which has at most as many as there are colours @returns its colour, which the style sheet defines for light and dark */
export function colorOf(index: number): string {
  return `var(--series-${index + 1})`;
}

/** @returns the entries of the legend; [] for a kind of chart that needs none */
export function legendOf({ kind, series, isCompared, axis, isOrdered }: ChartPlan): readonly LegendEntry[] {
  if (kind === 'heat' || kind === 'scatter' || kind === 'multiples') return [];
  const entries =
    kind === 'bar'
      ? [{ name: 'This period', className: 'series-1' }]
      : series.map((name, index) => ({ name, className: `series-${index + 1}` }));
  const isUpright = axis?.type === 'date' || isOrdered;
  const previous = kind === 'line' ? 'previous-line' : isUpright ? 'previous-tick' : 'previous-bar';
  return isCompared ? [...entries, { name: 'Compared period', className: previous }] : entries;
}
