import { drawBars } from './draw-bars.ts';
import { drawHeat } from './draw-heat.ts';
import { drawLines } from './draw-lines.ts';
import { drawMultiples } from './draw-multiples.ts';
import { drawScatter } from './draw-scatter.ts';
import { drawStack } from './draw-stack.ts';
import type { ChartPlan } from './plan-chart.ts';
import type { DrawOptions } from './plot.ts';

export function drawChart(plan: ChartPlan, options: DrawOptions): HTMLElement[] {
  switch (plan.kind) {
    case 'line':
      return drawLines(plan, options);
    case 'bar':
      return drawBars(plan, options);
    case 'stack':
      return drawStack(plan, options);
    case 'multiples':
      return drawMultiples(plan, options);
    case 'heat':
      return drawHeat(plan, options);
    case 'scatter':
      return drawScatter(plan, options);
    case 'none':
      return [];
  }
}
