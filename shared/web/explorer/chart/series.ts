import type { ChartPlan } from './plan-chart.ts';

/** The colour of the compared period's bars. */
export const PREVIOUS = 'var(--line-strong)';

/** @returns the colour of the n-th series, which the style sheet defines for light and dark */
export function colorOf(index: number): string {
  return `var(--series-${index + 1})`;
}

/** What stands before a name in the legend: a box, a tick across each upright bar, or a dotted line. */
type Swatch = 'box' | 'tick' | 'line';

interface LegendEntry {
  readonly name: string;
  readonly color: string;
  readonly swatch: Swatch;
}

/** @returns the entries of the legend; [] for a kind of chart that needs none */
export function legendOf({ kind, series, isCompared, axis, isOrdered }: ChartPlan): readonly LegendEntry[] {
  if (kind === 'heat' || kind === 'scatter' || kind === 'multiples') return [];
  const names = kind === 'bar' ? ['This period'] : series;
  const entries = names.map((name, index) => ({ name, color: colorOf(index), swatch: 'box' as const }));
  if (!isCompared) return entries;
  const name = 'Compared period';
  if (kind === 'line') return [...entries, { name, color: 'var(--muted)', swatch: 'line' }];
  const isUpright = axis?.type === 'date' || isOrdered;
  return [
    ...entries,
    isUpright ? { name, color: 'var(--ink)', swatch: 'tick' } : { name, color: PREVIOUS, swatch: 'box' },
  ];
}
