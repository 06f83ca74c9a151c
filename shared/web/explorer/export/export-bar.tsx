import { useState } from 'preact/hooks';
import type { Catalogue } from '../question/catalogue.ts';
import { describeScope } from '../question/describe.ts';
import { describeRanges } from '../question/describe-facts.ts';
import { format } from '../question/format.ts';
import { writeQuestion } from '../question/link.ts';
import { nameOfMoving } from '../question/period.ts';
import type { Api } from '../service/api.ts';
import type { Result } from '../service/use-result.ts';
import { hashOf } from '../service/use-route.ts';
import { Menu } from '../ui/menu.tsx';
import { printAll } from '../ui/use-printing.ts';
import { CopyDialog } from './copy-dialog.tsx';
import { copyRows, downloadReport, saveBlob } from './download.ts';
import { exportPng, exportSvg } from './export-chart.ts';
import { fileNameOf } from './file-name.ts';
import { type Task, type TaskOptions, useTasks } from './use-tasks.ts';

interface ExportBarProps {
  readonly api: Api;
  readonly catalogue: Catalogue;
  readonly result: Result;
  readonly owners: string;
  readonly title: string;
  /** The element that holds the drawn chart. */
  readonly drawing: HTMLElement | null;
}

export function ExportBar({ api, catalogue, result, owners, title, drawing }: ExportBarProps) {
  const { status, cancel, start } = useTasks(result.question);
  const [isCopying, setCopying] = useState(false);
  const [offersDates, setOffersDates] = useState(false);
  const run = (task: Task) => {
    setOffersDates(false);
    start(task);
  };
  const { question } = result;
  const download = (fileFormat: 'csv' | 'arrow') =>
    run({
      what: fileFormat === 'csv' ? 'CSV' : 'Arrow file',
      verb: 'downloaded',
      work: (options) => downloadReport(api, result, fileFormat, name, options),
    });
  const name = fileNameOf({ result, owners });
  const copyLink = () => {
    const moving = nameOfMoving(question.period);
    const moves = moving === undefined ? '' : `; its period “${moving}” moves with the data`;
    run({ what: 'Link', verb: 'copied', work: () => navigator.clipboard.writeText(location.href), more: moves });
    setOffersDates(moving !== undefined);
  };
  const copyFixed = () => {
    const write = () => navigator.clipboard.writeText(fixedLink(result));
    run({ what: 'Link', verb: 'copied', work: write, more: ' with fixed dates' });
  };
  const downloadWorkbook = () => {
    const context = { catalogue, title, owners, link: fixedLink(result) };
    const work = async (options: TaskOptions) => {
      const { writeReportWorkbook } = await import('./report-workbook.ts'); // with a library for ZIP files
      saveBlob(await writeReportWorkbook(api, result, context, options), `${name}.xlsx`, options.signal);
    };
    run({ what: 'Excel file', verb: 'downloaded', work });
  };
  const copyAll = () => {
    // Safari allows writing only in the click, also of what is yet to be read
    const work = (options: TaskOptions) => {
      const text = copyRows(api, result, options).then((rows) => new Blob([rows], { type: 'text/plain' }));
      return navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })]);
    };
    run({ what: 'Rows', verb: 'copied', work });
  };
  const scope = describeScope(question, owners, catalogue, format).join(' · ');
  const caption = { title, subtitles: [scope, describePeriod(result)] };
  const saveChart = (what: 'PNG' | 'SVG', draw: typeof exportPng | typeof exportSvg) => {
    if (drawing === null) return;
    const file = `${name}.${what.toLowerCase()}`;
    const work = async ({ signal }: TaskOptions) => saveBlob(await draw(drawing, caption), file, signal);
    run({ what, verb: 'downloaded', work });
  };
  const hasChart = drawing !== null && drawing.querySelector('svg') !== null && question.chart !== 'none';
  return (
    <>
      <div class="buttons">
        <button type="button" onClick={copyLink}>
          Copy link
        </button>
        <button type="button" onClick={() => download('csv')}>
          CSV
        </button>
        <button type="button" onClick={downloadWorkbook}>
          Excel
        </button>
        <Menu title="More">
          <button type="button" onClick={() => download('arrow')}>
            Arrow file
          </button>
          <button type="button" disabled={!hasChart} onClick={() => saveChart('PNG', exportPng)}>
            Chart as PNG
          </button>
          <button type="button" disabled={!hasChart} onClick={() => saveChart('SVG', exportSvg)}>
            Chart as SVG
          </button>
          <button type="button" onClick={copyAll}>
            Copy all rows
          </button>
          <button type="button" onClick={() => setCopying(true)}>
            Copy as code
          </button>
          <button type="button" onClick={printAll}>
            Print
          </button>
        </Menu>
      </div>
      <div class="buttons small export-status">
        <p class="muted" role="status">
          {status}
        </p>
        {cancel === undefined ? null : (
          <button type="button" class="link" onClick={cancel}>
            Cancel
          </button>
        )}
        {offersDates && status !== '' ? (
          <button type="button" class="link" onClick={copyFixed}>
            Copy with fixed dates
          </button>
        ) : null}
      </div>
      {isCopying ? (
        <CopyDialog
          request={{ base: api.base, experience: result.question.experience, report: result.sent }}
          onClose={() => setCopying(false)}
        />
      ) : null}
    </>
  );
}

/** @returns the address of the report, whose dates do not move with the data */
function fixedLink({ question, request: { startDate, endDate, compare } }: Result): string {
  const against = typeof question.compare === 'object' ? compare : question.compare;
  const fixed = { ...question, period: { startDate, endDate }, compare: against };
  return new URL(hashOf({ page: 'report', query: writeQuestion(fixed) }), location.href).href;
}

/** @returns the period, the compared one, the time zone, and the day through which data is complete */
function describePeriod({ page: { meta } }: Result): string {
  const through =
    meta.dataCompleteThrough === null ? 'no data' : `data through ${format.date(meta.dataCompleteThrough)}`;
  return `${describeRanges(meta)} · ${meta.timezone} · ${through}`;
}
