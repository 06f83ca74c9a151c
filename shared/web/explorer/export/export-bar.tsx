import { useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Result } from '../app/use-result.ts';
import { hashOf } from '../app/use-route.ts';
import type { Catalogue } from '../question/catalogue.ts';
import type { Formatter } from '../question/format.ts';
import { writeQuestion } from '../question/link.ts';
import { nameOfMoving } from '../question/period.ts';
import type { ReportQuestion } from '../question/question.ts';
import { Menu } from '../ui/menu.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { comparedNameOf, type DownloadFormat, downloadCompared, downloadReport, saveBlob } from './download.ts';
import { exportPng, exportSvg } from './export-chart.ts';
import { type Task, useTasks } from './use-tasks.ts';

interface ExportBarProps {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly format: Formatter;
  readonly result: Result;
  readonly title: string;
  /** The element that holds the drawn chart. */
  readonly drawing: HTMLElement | null;
}

/** Exports the result as a link, a file, an image or code. */
export function ExportBar({ api, catalogue, format, result, title, drawing }: ExportBarProps) {
  const { status, cancel, start } = useTasks(format);
  const [isCopying, setCopying] = useState(false);
  const [offersDates, setOffersDates] = useState(false);
  const run = (task: Task) => {
    setOffersDates(false);
    start(task);
  };
  const { question } = result;
  const isCompared = result.resolved.compared !== undefined;
  const download = (fileFormat: DownloadFormat) =>
    run({
      what: fileFormat === 'csv' ? 'CSV' : 'Arrow file',
      verb: 'downloaded',
      work: (options) =>
        isCompared && fileFormat === 'csv'
          ? downloadCompared(api, result, catalogue, options)
          : downloadReport(api, result, fileFormat, options),
    });
  const { request } = result.resolved;
  const copyLink = () => {
    const moving = nameOfMoving(question.period);
    const moves = moving === undefined ? '' : `; its period “${moving}” moves with the data`;
    run({ what: 'Link', verb: 'copied', work: () => navigator.clipboard.writeText(location.href), more: moves });
    setOffersDates(moving !== undefined);
  };
  const copyFixed = () => {
    const { startDate, endDate } = request;
    const hash = hashOf({ page: 'report', query: writeQuestion({ ...question, period: { startDate, endDate } }) });
    const write = () => navigator.clipboard.writeText(new URL(hash, location.href).href);
    run({ what: 'Link', verb: 'copied', work: write, more: ' with fixed dates' });
  };
  const caption = { title, subtitle: subtitleOf(result, format) };
  const name = comparedNameOf(result);
  const hasChart = drawing !== null && drawing.querySelector('svg') !== null && question.chart !== 'none';
  return (
    <>
      <div class="export">
        <button type="button" onClick={copyLink}>
          Copy link
        </button>
        <button type="button" onClick={() => download('csv')}>
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
              drawing !== null &&
              run({
                what: 'PNG',
                verb: 'downloaded',
                work: async ({ signal }) => saveBlob(await exportPng(drawing, caption), `${name}.png`, signal),
              })
            }
          >
            Chart as PNG
          </button>
          <button
            type="button"
            disabled={!hasChart}
            onClick={() =>
              drawing !== null &&
              run({
                what: 'SVG',
                verb: 'downloaded',
                work: async ({ signal }) => saveBlob(exportSvg(drawing, caption), `${name}.svg`, signal),
              })
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
      <div class="export-status">
        <p class="muted" role="status">
          {status}
        </p>
        {cancel === undefined ? null : (
          <button type="button" class="link" onClick={cancel}>
            Cancel
          </button>
        )}
        {offersDates ? (
          <button type="button" class="link" onClick={copyFixed}>
            Copy with fixed dates
          </button>
        ) : null}
      </div>
      {isCopying ? (
        <CopyDialog
          request={{ base: api.base, experience: result.question.experience, report: request }}
          onClose={() => setCopying(false)}
        />
      ) : null}
    </>
  );
}

/** @returns the period, the compared one and the time zone */
function subtitleOf({ resolved: { request, compared }, page }: Result, format: Formatter): string {
  const range = ({ startDate, endDate }: ReportQuestion) => format.range(startDate, endDate);
  const against = compared === undefined ? '' : ` against ${range(compared.request)}`;
  return `${range(request)}${against} · ${page.meta.timezone}`;
}
