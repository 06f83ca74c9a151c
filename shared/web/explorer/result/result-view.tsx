import { useEffect, useState } from 'preact/hooks';
import { ExportBar } from '../export/export-bar.tsx';
import { describeOwners, describeQuestion, describeScope } from '../question/describe.ts';
import { breakDown, breakdownsOf } from '../question/drill.ts';
import { format } from '../question/format.ts';
import { isComplete, withFields } from '../question/question.ts';
import type { Workspace } from '../service/editing.ts';
import type { useResult } from '../service/use-result.ts';
import { ResultTable } from '../table/result-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { focusResult } from '../ui/move-focus.ts';
import { useRowMenu } from '../ui/use-row-menu.tsx';
import { ChartCard } from './chart-card.tsx';
import { Progress, StaleNotice } from './progress.tsx';
import { ReportFacts } from './report-facts.tsx';
import { Totals } from './totals.tsx';
import { Warnings } from './warnings.tsx';

interface ResultViewProps extends Workspace {
  readonly state: ReturnType<typeof useResult>;
}

export function ResultView({ api, catalogue, accounts, advertisers, question, state, change }: ResultViewProps) {
  const { result, error, busy, wait, readMore, retry } = state;
  const [drawing, setDrawing] = useState<HTMLElement | null>(null);
  const shownTitle = result === undefined ? '' : describeQuestion(result.question, catalogue);
  const owners = result === undefined ? '' : describeOwners(result.question, accounts, advertisers ?? []);
  useEffect(() => {
    if (result === undefined) return;
    // in tabs, bookmarks and at the top of printed pages
    const page = document.title;
    const { startDate, endDate } = result.request;
    document.title = `${shownTitle}, ${format.range(startDate, endDate)} – ${page}`;
    return () => {
      document.title = page;
    };
  }, [result, shownTitle]);
  const [menu, openMenu] = useRowMenu(
    result === undefined ? [] : breakdownsOf(result.question, catalogue),
    (row) => {
      const named = result?.page.headers.find(({ role }) => role === 'dimension');
      return named === undefined ? '' : format.value(named, row[named.name]);
    },
    (row, dimension) => {
      if (result !== undefined) change(breakDown(result.question, row, dimension, catalogue));
      focusResult();
    },
  );
  const isDrawn = question.chart !== 'none';
  useEffect(() => {
    // while the result is loading; the chart reports the error
    if (isDrawn) import('../chart/draw-chart.ts').catch(() => undefined);
  }, [isDrawn]);
  return (
    <>
      <div class={busy ? 'result-head busy' : 'result-head'}>
        <h1 tabIndex={-1}>{describeQuestion(question, catalogue)}</h1>
        {result === undefined ? null : (
          <ExportBar {...{ api, catalogue, result, owners, title: shownTitle, drawing }} />
        )}
      </div>
      <p class="visually-hidden" role="status">
        {busy ? 'Reading the result…' : result === undefined ? '' : format.counted(result.page.totalCount, 'row')}
      </p>
      {error === undefined ? null : <ErrorNotice error={error} onRetry={retry} />}
      {isComplete(question) ? null : (
        <p class="notice">Choose a metric or a dimension, or one of the questions above.</p>
      )}
      {result === undefined ? (
        busy && error === undefined ? (
          <p class="muted">
            <Progress wait={wait} />
          </p>
        ) : null
      ) : (
        <div class={busy ? 'result-body busy' : 'result-body'} aria-busy={busy}>
          {busy ? <StaleNotice {...{ result, question, wait, catalogue }} /> : null}
          {/* changes start from the question, which may be newer than its result */}
          <p class="scope">{describeScope(result.question, owners, catalogue, format).join(' · ')}</p>
          <ReportFacts result={result} />
          <Warnings {...{ catalogue, question, change }} warnings={result.page.meta.warnings} />
          {result.page.totalCount === 0 ? (
            <p class="notice" role="status">
              <strong>No rows.</strong>
            </p>
          ) : null}
          <Totals result={result} />
          <div class="views">
            <ChartCard
              {...{ result, catalogue, title: shownTitle }}
              onChart={(chart) => change({ ...question, chart })}
              onDrawing={setDrawing}
              onRow={openMenu}
            />
            <ResultTable
              key={result.page.headers.map(({ name }) => name).join()}
              {...{ result, readMore }}
              onRow={openMenu}
              onSort={(sort) => change(withFields({ ...question, sort }, {}))}
            />
          </div>
          {menu}
        </div>
      )}
    </>
  );
}
