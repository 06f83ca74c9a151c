import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Mark } from '../chart/marks.ts';
import { type ChartPlan, planChart } from '../chart/plan-chart.ts';
import { legendOf } from '../chart/series.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { format } from '../question/format.ts';
import { CHART_KINDS, type ChartKind, nameIn } from '../question/question.ts';
import type { Result } from '../service/use-result.ts';
import { Choice } from '../ui/choice.tsx';
import type { OpenRowMenu } from '../ui/use-row-menu.tsx';
import { useWidth } from '../ui/use-width.ts';

interface ChartCardProps {
  readonly result: Result;
  readonly catalogue: Catalogue;
  readonly title: string;
  readonly onChart: (kind: ChartKind) => void;
  /** Called with the element that holds the drawn chart, null if there is none. */
  readonly onDrawing: (drawing: HTMLElement | null) => void;
  readonly onRow: OpenRowMenu;
}

export function ChartCard({ result, catalogue, title, onChart, onDrawing, onRow }: ChartCardProps) {
  const plan = useMemo(() => planChart(result, catalogue), [result, catalogue]);
  if (plan.choices.length === 0 || result.rows.length === 0) return null;
  return (
    <section class="card chart" aria-label="Chart">
      <header>
        <h2>{CHART_KINDS[plan.kind]}</h2>
        <Choice
          title="Chart"
          class="row"
          value={result.question.chart}
          choices={(['auto', ...plan.choices, 'none'] as const).map((kind) => [kind, CHART_KINDS[kind]])}
          onChange={(kind) => onChart(nameIn(CHART_KINDS, kind) ?? 'auto')}
        />
      </header>
      {plan.kind === 'none' ? null : <ChartFigure {...{ plan, title, onDrawing, onRow }} />}
      {plan.notes.length === 0 ? null : <p class="hint notes">{plan.notes.join(' ')}</p>}
    </section>
  );
}

interface ChartFigureProps {
  readonly plan: ChartPlan;
  readonly title: string;
  readonly onDrawing: (drawing: HTMLElement | null) => void;
  readonly onRow: OpenRowMenu;
}

/** In pixels. */
const SWATCH_WIDTHS = { box: 11, tick: 14, line: 18 };

/** Draws with Observable Plot, which may still be loading. */
function ChartFigure({ plan, title, onDrawing, onRow }: ChartFigureProps) {
  const holder = useRef<HTMLDivElement>(null);
  const width = useWidth(holder);
  const isDark = useDarkMode();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const element = holder.current;
    if (element === null || width === 0) return;
    let isCurrent = true;
    const draw = async () => {
      const program = await import('../chart/draw-chart.ts').catch(() => undefined);
      if (!isCurrent) return;
      try {
        if (program === undefined) throw new Error('its program was not loaded');
        element.replaceChildren(...program.drawChart({ plan, format, width }));
        element.style.setProperty('--drawn-width', String(width)); // of which paper shows a smaller copy
        onDrawing(element);
        setProblem(undefined);
      } catch (error) {
        element.replaceChildren(); // the last chart is of other figures
        onDrawing(null);
        setProblem(error instanceof Error ? error.message : 'unknown error');
      }
    };
    draw();
    return () => {
      isCurrent = false;
    };
  }, [plan, format, width, isDark, onDrawing]);
  useEffect(() => () => onDrawing(null), [onDrawing]); // a result without a chart must not export the last one
  const legend = legendOf(plan);
  /** The mark at the pointer is the value of its plot. */
  const open = (event: MouseEvent) => {
    const drawn = event.target instanceof Element ? event.target.closest<MarkedPlot>('.plot') : null;
    if (drawn?.value?.row !== undefined) onRow(drawn.value.row, event.clientX, event.clientY);
  };
  return (
    <figure>
      {legend.length < 2 ? null : (
        <ul class="legend small" aria-label="Legend">
          {legend.map(({ name, color, swatch }) => (
            <li key={name}>
              <svg width={SWATCH_WIDTHS[swatch]} height={11} aria-hidden="true">
                {swatch === 'box' ? <rect width={11} height={11} rx={3} fill={color} /> : null}
                {swatch === 'tick' ? <rect y={4} width={14} height={3} fill={color} /> : null}
                {swatch === 'line' ? (
                  <line x2={18} y1={6} y2={6} stroke={color} stroke-width={2} stroke-dasharray="2 3" />
                ) : null}
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the names in the table do the same with the keyboard */}
      <div
        ref={holder}
        onClick={open}
        class="drawing"
        role="img"
        aria-label={`${CHART_KINDS[plan.kind]}: ${title}. The table has all values.`}
      />
      {problem === undefined ? null : <p class="problem">The chart cannot be drawn: {problem}.</p>}
    </figure>
  );
}

/** A plot with a text on hover. */
type MarkedPlot = SVGSVGElement & { readonly value?: Mark | null };

/** @returns whether the page is dark: a heat map, which reads its colours, must then be drawn again */
function useDarkMode(): boolean {
  const query = useMemo(() => window.matchMedia('(prefers-color-scheme: dark)'), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, [query]);
  return isDark;
}
