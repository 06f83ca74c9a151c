import type { ChartPlan } from './plan-chart.ts';

/** The colour of the compared period's bars. */
export const PREVIOUS = 'var(--line-strong)';

/** @returns the colour of the n-th series, which the style sheet defines for light and dark */
export function colorOf(index: number): string {
  return `var(--series-${index + 1})`;
}

/** @returns the entries of the legend, each with its colour or its class; [] for a kind of chart that needs none */
export function legendOf({ kind, series, isCompared, axis, isOrdered }: ChartPlan) {
  if (kind === 'heat' || kind === 'scatter' || kind === 'multiples') return [];
  const names = kind === 'bar' ? ['This period'] : series;
  const entries = names.map((name, index) => ({ name, color: colorOf(index), className: '' }));
  const isUpright = axis?.type === 'date' || isOrdered;
  const previous = kind === 'line' ? 'previous-line' : isUpright ? 'previous-tick' : '';
  return isCompared ? [...entries, { name: 'Compared period', color: PREVIOUS, className: previous }] : entries;
}
