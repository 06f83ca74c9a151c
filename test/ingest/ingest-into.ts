import { openBucket } from '../../shared/ingest/bucket.ts';
import { type IngestOptions, type IngestOutcome, ingestFolder } from '../../shared/ingest/ingest-folder.ts';
import { IngestReport } from '../../shared/ingest/report-file.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { userIdKey } from '../support/user-id-key.ts';
import { BUCKET, type ObjectServer } from './object-server.ts';

/** The content of an event of a `_READY`. */
export type Arrived = Pick<IngestOptions, 'prefix' | 'arrival'>;

/** Ingests a folder as the function does. */
export function ingestInto(
  table: Table,
  server: ObjectServer,
  event: Arrived,
  more: Partial<IngestOptions> = {},
): Promise<IngestOutcome> {
  return ingestFolder({
    userIdKey,
    bucket: openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' }),
    table,
    timeZone: 'UTC',
    signal: new AbortController().signal,
    undoMs: 10_000,
    retryInSeconds: undefined,
    limits: { threads: 0 },
    ...event,
    ...more,
  });
}

/** @returns the report in a folder of the bucket */
export function reportIn({ objects }: ObjectServer, prefix: string): IngestReport {
  return IngestReport.parse(JSON.parse(String(objects.get(`${prefix}_REPORT.json`))));
}
