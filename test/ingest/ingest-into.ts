import { openBucket } from '../../shared/ingest/bucket.ts';
import { type Ingested, type IngestOptions, ingestFolder } from '../../shared/ingest/ingest-folder.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { BUCKET, type ObjectServer } from './object-server.ts';

/** What the event of a `_READY` says. */
export type Arrived = Pick<IngestOptions, 'prefix' | 'arrival'>;

/** Ingests as the function does. */
export function ingestInto(
  table: Table,
  server: ObjectServer,
  event: Arrived,
  more: Partial<IngestOptions> = {},
): Promise<Ingested> {
  return ingestFolder({
    bucket: openBucket({ name: BUCKET, endpoint: server.endpoint, region: 'us-east-1' }),
    table,
    timeZone: 'UTC',
    signal: new AbortController().signal,
    removeMs: 10_000,
    limits: { threads: 0 },
    ...event,
    ...more,
  });
}
