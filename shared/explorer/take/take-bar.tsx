import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from '../app/api.ts';
import type { Answer } from '../app/use-answer.ts';
import type { Formatter } from '../question/format.ts';
import { Menu } from '../ui/menu.tsx';
import { CopyDialog } from './copy-dialog.tsx';
import { downloadReport, type FileFormat, fileNameOf, saveBlob } from './download.ts';
import { exportPng, exportSvg } from './export-chart.ts';

interface TakeBarProps {
  readonly api: Api;
  readonly format: Formatter;
  readonly answer: Answer;
  readonly title: string;
  /** The drawn chart. */
  readonly figure: HTMLElement | null;
}

const FORMAT_NAMES: Readonly<Record<FileFormat, string>> = { csv: 'CSV', arrow: 'Arrow' };

/** Exports the result as a link, a file, an image or code. */
export function TakeBar({ api, format: numbers, answer, title, figure }: TakeBarProps) {
  const [status, setStatus] = useState('');
  const [isCopying, setCopying] = useState(false);
  const attempt = (what: string, work: () => Promise<void>) => {
    setStatus(`${what}…`);
    work().then(
      () => setStatus(`${what}: done`),
      (error: unknown) => setStatus(`${what}: ${messageOf(error)}`),
    );
  };
  const [running, setRunning] = useState<AbortController>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  const download = async (format: FileFormat) => {
    const what = `Download ${FORMAT_NAMES[format]}`;
    const controller = new AbortController();
    last.current?.abort();
    last.current = controller;
    setRunning(controller);
    setStatus(`${what}…`);
    const isLast = () => last.current === controller;
    const onProgress = (rows: number, total: number) => {
      if (isLast()) setStatus(`${what}: ${numbers.count(rows)} of ${numbers.count(total)} rows`);
    };
    try {
      await downloadReport(api, answer, format, { onProgress, signal: controller.signal });
      if (isLast()) setStatus(`${what}: done`);
    } catch (error) {
      if (isLast()) setStatus(controller.signal.aborted ? `${what}: cancelled` : `${what}: ${messageOf(error)}`);
    }
    if (isLast()) setRunning(undefined);
  };
  const { request } = answer.resolved;
  const picture = { title, subtitle: `${request.startDate} – ${request.endDate}, ${answer.page.meta.timezone}` };
  const name = fileNameOf(answer);
  const hasChart = figure?.querySelector('svg') !== null && figure !== null && answer.question.chart !== 'none';
  return (
    <div class="take">
      <p class="hint" role="status">
        {status}
      </p>
      {running === undefined ? null : (
        <button type="button" onClick={() => running.abort()}>
          Cancel
        </button>
      )}
      <button type="button" onClick={() => attempt('Copy link', () => navigator.clipboard.writeText(location.href))}>
        Copy link
      </button>
      <button type="button" onClick={() => download('csv')}>
        CSV
      </button>
      <Menu title="More">
        <button type="button" onClick={() => download('arrow')}>
          Arrow file
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'failed';
}
