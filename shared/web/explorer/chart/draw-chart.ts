import { drawBars } from './draw-bars.ts';
import { drawHeat } from './draw-heat.ts';
import { drawLines } from './draw-lines.ts';
import { drawMultiples } from './draw-multiples.ts';
import { drawScatter } from './draw-scatter.ts';
import { drawStack } from './draw-stack.ts';
import type { Drawing } from './plot.ts';

const KINDS = {
  line: drawLines,
  bar: drawBars,
  stack: drawStack,
  multiples: drawMultiples,
  heat: drawHeat,
  scatter: drawScatter,
  none: () => [],
};

export function drawChart(drawing: Drawing): HTMLElement[] {
  return KINDS[drawing.plan.kind](drawing);
}
