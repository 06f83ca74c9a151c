import { useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Answer } from '../app/use-answer.ts';
import { hashOf } from '../app/use-route.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { Formatter } from '../question/format.ts';
import { writeQuestion } from '../question/link.ts';
import { PRESETS } from '../question/period.ts';
import type { ReportQuestion } from '../question/question.ts';
import { Menu } from '../ui/menu.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { comparedNameOf, downloadCompared, downloadReport, type FileFormat, saveBlob } from './download.ts';
import { exportPng, exportSvg } from './export-chart.ts';

const formatter = new Formatter();

interface TakeBarProps {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly answer: Answer;
  readonly title: string;
  /** The drawn chart. */
  readonly figure: HTMLElement | null;
}

/** Takes the answer along: as a link, a file, a picture or a program. */
export function TakeBar({ api, catalogue, answer, title, figure }: TakeBarProps) {
  const [status, setStatus] = useState('');
  const [isCopying, setCopying] = useState(false);
  const [offersDates, setOffersDates] = useState(false);
  /** The status says `CSV downloaded`, or why not. */
  const attempt = (what: string, verb: 'copied' | 'downloaded', work: () => Promise<void>, more = '') => {
    setOffersDates(false);
    setStatus(`${what}…`);
    work().then(
      () => setStatus(`${what} ${verb}${more}`),
      (error: unknown) => setStatus(`${what} not ${verb}: ${error instanceof Error ? error.message : 'unknown error'}`),
    );
  };
  const { question } = answer;
  const isCompared = answer.resolved.compared !== undefined;
  const downloadCsv = () =>
    isCompared ? attempt('CSV', 'downloaded', () => downloadCompared(api, answer, catalogue)) : download('csv');
  const download = (format: FileFormat) =>
    attempt(format === 'csv' ? 'CSV' : 'Arrow file', 'downloaded', () => downloadReport(api, answer, format));
  const { request } = answer.resolved;
  const copyLink = () => {
    const { period } = question;
    const moves = 'preset' in period ? `; its period “${PRESETS[period.preset]}” moves with the data` : '';
    attempt('Link', 'copied', () => navigator.clipboard.writeText(location.href), moves);
    setOffersDates('preset' in period);
  };
  const copyFixed = () => {
    const { startDate, endDate } = request;
    const hash = hashOf({ page: 'report', query: writeQuestion({ ...question, period: { startDate, endDate } }) });
    const write = () => navigator.clipboard.writeText(new URL(hash, location.href).href);
    attempt('Link', 'copied', write, ' with fixed dates');
  };
  const picture = { title, subtitle: subtitleOf(answer) };
  const name = comparedNameOf(answer);
  const hasChart = figure?.querySelector('svg') !== null && figure !== null && answer.question.chart !== 'none';
  return (
    <>
      <div class="take">
        <button type="button" onClick={copyLink}>
          Copy link
        </button>
        <button type="button" onClick={downloadCsv}>
          CSV
        </button>
        <Menu title="More">
          <button type="button" onClick={() => download('arrow')}>
            {isCompared ? 'Arrow file (this period only)' : 'Arrow file'}
          </button>
          <button
            type="button"
            disabled={!hasChart}
            onClick={() =>
              figure !== null &&
              attempt('PNG', 'downloaded', async () => saveBlob(await exportPng(figure, picture), `${name}.png`))
            }
          >
            Chart as PNG
          </button>
          <button
            type="button"
            disabled={!hasChart}
            onClick={() =>
              figure !== null &&
              attempt('SVG', 'downloaded', async () => saveBlob(exportSvg(figure, picture), `${name}.svg`))
            }
          >
            Chart as SVG
          </button>
          <button type="button" onClick={() => setCopying(true)}>
            Copy as code
          </button>
          <button type="button" onClick={() => print()}>
            Print
          </button>
        </Menu>
      </div>
      <div class="take-status">
        <p class="muted" role="status">
          {status}
        </p>
        {offersDates ? (
          <button type="button" class="link" onClick={copyFixed}>
            Copy with fixed dates
          </button>
        ) : null}
      </div>
      {isCopying ? (
        <CopyDialog
          request={{ base: api.base, experience: answer.question.experience, report: request }}
          onClose={() => setCopying(false)}
        />
      ) : null}
    </>
  );
}

/** @returns the period, the compared one and the time zone */
function subtitleOf({ resolved: { request, compared }, page }: Answer): string {
  const range = ({ startDate, endDate }: ReportQuestion) => formatter.range(startDate, endDate);
  const against = compared === undefined ? '' : ` against ${range(compared.request)}`;
  return `${range(request)}${against} · ${page.meta.timezone}`;
}
