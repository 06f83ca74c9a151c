import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { REPORT_FILE } from '../../shared/ingest/report-file.ts';
import { type SendOptions, sendFolder } from '../../shared/ingest/send-folder.ts';
import { waitForReport } from '../../shared/ingest/wait-for-report.ts';
import { interruptible } from './interruptible.ts';
import { printReport } from './print-report.ts';
import { writeLine } from './run-cli.ts';
import { type ShownProgress, showProgress } from './show-progress.ts';

/**
 * Uploads a folder to the bucket of a deployed stack, which loads it, and waits for the report.
 * @param prefix the folder's name in the bucket; default: the name of the local folder; empty: the bucket itself
 * @returns the exit code
 */
export async function loadThroughBucket(
  folder: string,
  bucketName: string,
  prefix?: string,
  choice: Pick<SendOptions, 'replace' | 'check' | 'accept'> = {},
): Promise<number> {
  const bucket = openBucket({ name: bucketName });
  const path = `${(prefix ?? basename(resolve(folder))).replace(/^\/+|\/+$/g, '')}/`.replace(/^\/$/, '');
  const place = `s3://${bucketName}/${path}`;
  const id = randomUUID();
  const view = showProgress(process.stderr);
  const note = (text: string) => {
    view.end();
    writeLine(process.stderr, text);
  };
  let consequence = 'nothing is loaded, because the upload is not complete';
  const notify = () => note(`interrupted: ${consequence}`);
  const onReady = () => {
    consequence = `the stack may load the folder; if it does, it writes its report to ${place}${REPORT_FILE}`;
  };
  return interruptible(notify, async (signal) => {
    try {
      note(`sending ${resolve(folder)} to ${place}`);
      // requests that an interruption ends still report progress, which would open the bar again
      const show = (progress: ShownProgress) => {
        if (!signal.aborted) view.update(progress);
      };
      const onProgress = (done: number, total: number) => show({ stage: 'send', done, total, rows: 0 });
      await sendFolder({ folder, bucket, prefix: path, id, ...choice, signal, onProgress, onReady });
      consequence = `the stack still loads the folder, and writes its report to ${place}${REPORT_FILE}`;
      signal.throwIfAborted();
      note('waiting for the report');
      const report = await waitForReport({ bucket, prefix: path, id, signal, onNote: note, onProgress: show });
      view.end();
      return printReport(report, 'correct these first');
    } finally {
      if (!signal.aborted) view.end(); // an error must not be printed into the progress bar
    }
  });
}
