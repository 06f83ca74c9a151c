import { cutText } from '../ui/measure-text.ts';
import { drawBars } from './draw-bars.ts';
import { drawLines } from './draw-lines.ts';
import type { Mark } from './marks.ts';
import type { ChartPlan } from './plan-chart.ts';
import type { DrawOptions } from './plot.ts';

/** Width in pixels that each of several charts side by side must have, its gap included. */
const MIN_WIDTH = 240;

/** One small chart for each series: lines or bars, all on the same scale so that they can be compared. */
export function drawMultiples(plan: ChartPlan, options: DrawOptions): HTMLElement[] {
  const [panel] = plan.panels;
  if (panel === undefined) return [];
  const columns = Math.max(1, Math.min(panel.series.length, Math.floor(options.width / MIN_WIDTH)));
  const gap = 20; // at least as `.drawing` in the style sheet
  const width = Math.floor((options.width - gap * (columns - 1)) / columns);
  const isDated = plan.axis?.type === 'date';
  const all = isDated ? panel.marks : named(panel.marks);
  return panel.series.flatMap((series) => {
    const marks = all.filter((mark) => mark.series === series);
    const part = { ...plan, series: [series], panels: [{ ...panel, title: series, series: [series], marks }] };
    const drawn = isDated ? drawLines(part, { ...options, width }, all) : drawBars(part, { ...options, width }, all);
    for (const element of drawn) {
      const heading = element.querySelector<HTMLElement>('.panel-title');
      if (heading === null) continue;
      heading.textContent = cutText(series, width * 0.88); // its font is bold
      heading.title = series;
    }
    return drawn;
  });
}

/** The bars of one series need only its other dimension as a name. */
function named(marks: readonly Mark[]): Mark[] {
  return marks.map((mark) => ({ ...mark, label: String(mark.x) }));
}
