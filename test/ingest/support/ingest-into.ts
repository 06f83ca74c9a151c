import { openBucket } from '../../../shared/ingest/bucket.ts';
import { type IngestOptions, type IngestOutcome, ingestFolder } from '../../../shared/ingest/load-sent-folder.ts';
import type { ReadyEvent } from '../../../shared/ingest/ready-event.ts';
import { IngestReport } from '../../../shared/ingest/report-file.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { BUCKET, type ObjectServer } from './object-server.ts';

/** Ingests a folder in this process, with test defaults that `overrides` replaces. */
export function ingestInto(
  table: Table,
  server: ObjectServer,
  event: ReadyEvent,
  overrides: Partial<IngestOptions> = {},
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
    ...overrides,
  });
}

/** @returns the report in a folder of the bucket */
export function reportIn({ objects }: ObjectServer, prefix: string): IngestReport {
  return IngestReport.parse(JSON.parse(String(objects.get(`${prefix}_REPORT.json`))));
}
