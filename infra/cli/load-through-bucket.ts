import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { openBucket } from '../../shared/ingest/bucket.ts';
import { REPORT_FILE } from '../../shared/ingest/report-file.ts';
import { sendFolder } from '../../shared/ingest/send-folder.ts';
import { waitForReport } from '../../shared/ingest/wait-for-report.ts';
import { interruptible } from './interruptible.ts';
import { printReport } from './print-report.ts';
import { showProgress } from './show-progress.ts';

/**
 * Drops a folder into the bucket of a deployed stack and waits for the report.
 * @param prefix the folder's name in the bucket; that of the directory unless given
 * @returns the exit code
 */
export async function loadThroughBucket(folder: string, bucketName: string, prefix?: string): Promise<number> {
  const bucket = openBucket({ name: bucketName });
  const path = `${(prefix ?? basename(resolve(folder))).replace(/^\/+|\/+$/g, '')}/`.replace(/^\/$/, '');
  const place = `s3://${bucketName}/${path}`;
  const id = randomUUID();
  const view = showProgress(process.stderr);
  const note = (text: string) => {
    view.end();
    process.stderr.write(`${text}\n`);
  };
  let sent = false;
  const onInterrupt = () =>
    note(
      sent
        ? `interrupted: the load goes on, and its report will be ${place}${REPORT_FILE}`
        : 'interrupted: nothing is loaded, since the folder is not complete',
    );
  return interruptible(onInterrupt, async (signal) => {
    note(`sending ${resolve(folder)} to ${place}`);
    const onProgress = (done: number, total: number) => view.update({ stage: 'send', done, total, rows: 0 });
    await sendFolder({ folder, bucket, prefix: path, id, signal, onProgress });
    sent = true;
    note('waiting for the report');
    const report = await waitForReport({
      bucket,
      prefix: path,
      id,
      signal,
      onProgress: (progress) => view.update(progress),
    });
    view.end();
    return printReport(report, 'they may go when these are put right');
  });
}
