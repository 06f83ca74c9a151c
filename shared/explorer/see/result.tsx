import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Answer, AnswerState } from '../app/use-answer.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { type ComparedRow, comparedMetrics, compareRows } from '../question/compare-rows.ts';
import { describeQuestion } from '../question/describe.ts';
import { Formatter } from '../question/format.ts';
import { isComplete, type Question, withFields } from '../question/question.ts';
import { ResultTable } from '../table/result-table.tsx';
import { TakeBar } from '../take/take-bar.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { ChartCard } from './chart-card.tsx';
import { ReportFacts } from './report-facts.tsx';
import { Totals } from './totals.tsx';
import { Warnings } from './warnings.tsx';

interface ResultProps {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly question: Question;
  readonly state: AnswerState;
  readonly change: (question: Question) => void;
}

/** The answer to the question: its facts, warnings, totals, chart and table. */
export function Result({ api, catalogue, question, state, change }: ResultProps) {
  const { answer, error, busy, readMore, retry } = state;
  const format = useMemo(() => new Formatter(), []);
  const rows = useMemo(() => (answer === undefined ? [] : rowsOf(answer, catalogue)), [answer, catalogue]);
  const [figure, setFigure] = useState<HTMLElement | null>(null);
  const title = describeQuestion(question, catalogue);
  const isDrawn = question.chart !== 'none';
  useEffect(() => {
    if (isDrawn) import('../chart/draw-chart.ts').catch(() => undefined); // while the answer is on its way; the chart reports the error
  }, [isDrawn]);
  return (
    <>
      <div class="result-head">
        <h1 tabIndex={-1}>{title}</h1>
        {answer === undefined ? null : <TakeBar {...{ api, format, answer, title, figure }} />}
      </div>
      <p class="visually-hidden" role="status">
        {busy ? 'Reading the answer…' : answer === undefined ? '' : `${format.count(answer.page.totalCount)} rows`}
      </p>
      {error === undefined ? null : <ErrorNotice error={error} onRetry={retry} />}
      {isComplete(question) ? null : (
        <p class="notice">Choose a metric or a dimension, or one of the questions above.</p>
      )}
      {answer === undefined ? (
        busy && error === undefined ? (
          <p class="muted">Reading the answer…</p>
        ) : null
      ) : (
        <div class={busy ? 'answer busy' : 'answer'} aria-busy={busy}>
          {/* changes start from the question, which may be newer than its answer */}
          <ReportFacts answer={answer} format={format} />
          <Warnings warnings={answer.page.meta.warnings} catalogue={catalogue} question={question} change={change} />
          <Totals answer={answer} format={format} />
          <div class="views">
            <ChartCard
              {...{ answer, rows, catalogue, format, title }}
              onChart={(chart) => change({ ...question, chart })}
              onFigure={setFigure}
            />
            <ResultTable
              {...{ answer, rows, format, readMore }}
              onSort={(sort) => change(withFields({ ...question, sort }, {}))}
            />
          </div>
        </div>
      )}
    </>
  );
}

/** @returns the rows, with those of the compared period if there is one */
function rowsOf({ page, rows, previous, resolved, delivered }: Answer, catalogue: Catalogue): ComparedRow[] {
  if (previous === undefined || resolved.compared === undefined)
    return rows.map((row) => ({ row, previous: undefined }));
  const { headers, totalCount } = page;
  return compareRows({
    rows,
    previous: previous.data,
    isComplete: rows.length >= totalCount && previous.data.length >= previous.totalCount,
    range: resolved.range,
    compared: resolved.compared.range,
    dimensions: headers.filter(({ role }) => role === 'dimension'),
    metrics: comparedMetrics(headers, catalogue),
    delivered,
  });
}
