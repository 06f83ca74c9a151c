import { randomUUID } from 'node:crypto';
import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import { openBucket } from '../../../shared/ingest/bucket.ts';
import type { IngestReport } from '../../../shared/ingest/report-file.ts';
import { sendFolder } from '../../../shared/ingest/send-folder.ts';
import { waitForReport } from '../../../shared/ingest/wait-for-report.ts';

const TIMEOUT_MS = 5 * 60_000;

/**
 * Uploads a folder to the bucket of a deployed stack, as `npm run load -- FOLDER --bucket NAME` does.
 * @param options.endpoint of the emulated S3
 * @param options.bucket the stack's output BucketName
 * @param options.prefix the common prefix of the objects' keys; it ends with `/`
 * @returns the report that the deployed function has written
 */
export async function ingestThroughBucket(options: {
  readonly endpoint: string;
  readonly bucket: string;
  readonly folder: string;
  readonly prefix: string;
}): Promise<IngestReport> {
  useLocalCredentials();
  const { endpoint, folder, prefix } = options;
  const bucket = openBucket({ name: options.bucket, endpoint, region: 'us-east-1' });
  const id = randomUUID();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  await sendFolder({ folder, bucket, prefix, id, signal, onProgress: () => undefined });
  return waitForReport({
    bucket,
    prefix,
    id,
    signal,
    onProgress: () => undefined,
    onNote: () => undefined,
    limits: { pollMs: 200 },
  });
}
