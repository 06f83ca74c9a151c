import { drawBars } from './draw-bars.ts';
import { drawLines } from './draw-lines.ts';
import type { Drawing } from './plot.ts';

/** Width in pixels that each of several charts side by side must have, its gap included. */
const MIN_WIDTH = 240;

/** One small chart for each series: lines or bars, all on the same scale so that they can be compared. */
export function drawMultiples(drawing: Drawing): HTMLElement[] {
  const { plan } = drawing;
  const [panel] = plan.panels;
  if (panel === undefined) return [];
  const columns = Math.max(1, Math.min(panel.series.length, Math.floor(drawing.width / MIN_WIDTH)));
  const gap = 20; // at least as `.drawing` in the style sheet
  const width = Math.floor((drawing.width - gap * (columns - 1)) / columns);
  const isDated = plan.axis?.type === 'date';
  // the bars of one series need only its other dimension as a name
  const all = isDated ? panel.marks : panel.marks.map((mark) => ({ ...mark, label: String(mark.x) }));
  return panel.series.flatMap((series) => {
    const marks = all.filter((mark) => mark.series === series);
    const part = { ...plan, series: [series], panels: [{ ...panel, title: series, series: [series], marks }] };
    const small = { ...drawing, plan: part, width, all };
    return isDated ? drawLines(small) : drawBars(small);
  });
}
