import { useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Answer } from '../app/use-answer.ts';
import type { Catalogue } from '../question/catalogue.ts';
import { Formatter } from '../question/format.ts';
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
  const attempt = (what: string, work: () => Promise<void>) => {
    setStatus(`${what}…`);
    work().then(
      () => setStatus(`${what}: done`),
      (error: unknown) => setStatus(`${what}: ${error instanceof Error ? error.message : 'failed'}`),
    );
  };
  const isCompared = answer.resolved.compared !== undefined;
  const downloadCsv = () =>
    isCompared ? attempt('Download csv', () => downloadCompared(api, answer, catalogue)) : download('csv');
  const download = (format: FileFormat) => attempt(`Download ${format}`, () => downloadReport(api, answer, format));
  const { request } = answer.resolved;
  const picture = { title, subtitle: subtitleOf(answer) };
  const name = comparedNameOf(answer);
  const hasChart = figure?.querySelector('svg') !== null && figure !== null && answer.question.chart !== 'none';
  return (
    <div class="take">
      <p class="hint" role="status">
        {status}
      </p>
      <button type="button" onClick={() => attempt('Copy link', () => navigator.clipboard.writeText(location.href))}>
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
            attempt('Save PNG', async () => saveBlob(await exportPng(figure, picture), `${name}.png`))
          }
        >
          Chart as PNG
        </button>
        <button
          type="button"
          disabled={!hasChart}
          onClick={() =>
            figure !== null && attempt('Save SVG', async () => saveBlob(exportSvg(figure, picture), `${name}.svg`))
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
      {isCopying ? (
        <CopyDialog
          request={{ base: api.base, experience: answer.question.experience, report: request }}
          onClose={() => setCopying(false)}
        />
      ) : null}
    </div>
  );
}

/** @returns the period, the compared one and the time zone */
function subtitleOf({ resolved: { request, compared }, page }: Answer): string {
  const range = ({ startDate, endDate }: ReportQuestion) => formatter.range(startDate, endDate);
  const against = compared === undefined ? '' : ` against ${range(compared.request)}`;
  return `${range(request)}${against} · ${page.meta.timezone}`;
}
