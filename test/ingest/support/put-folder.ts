import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBucket } from '../../../shared/ingest/bucket.ts';
import { type IngestOptions, type IngestOutcome, ingestFolder } from '../../../shared/ingest/load-sent-folder.ts';
import type { ReadyEvent } from '../../../shared/ingest/ready-event.ts';
import type { ReadyFile } from '../../../shared/ingest/ready-file.ts';
import { IngestReport } from '../../../shared/ingest/report-file.ts';
import type { Table } from '../../../shared/store/table/table.ts';
import { userIdKey } from '../../support/user-id-key.ts';
import { BUCKET, type ObjectServer } from './object-server.ts';

/** Puts a directory into the bucket as any S3 client would. @returns the content of its `_READY` */
export function putFiles({ objects }: ObjectServer, folder: string, prefix: string): ReadyFile {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const files = names.map((name) => {
    const content = readFileSync(join(folder, name));
    objects.set(`${prefix}${name}`, content);
    return { name, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  });
  return { files };
}

let arrivals = 0;

/** Writes `_READY`. @returns its arrival, as in the event of S3 */
export function putReady(server: ObjectServer, prefix: string, ready: unknown): ReadyEvent {
  return putMarker(server, prefix, '_READY', JSON.stringify(ready));
}

export function putMarker(
  { objects }: ObjectServer,
  prefix: string,
  marker: ReadyEvent['marker'],
  text: string,
): ReadyEvent {
  const content = Buffer.from(text);
  objects.set(`${prefix}${marker}`, content);
  const sequencer = (++arrivals).toString(16).padStart(16, '0');
  return { prefix, marker, arrival: { etag: createHash('md5').update(content).digest('hex'), sequencer } };
}

/** @returns the event that EventBridge sends when a `_READY` or `_SUCCESS` arrives; each has its own id */
export function readyEvent({ prefix, marker, arrival }: ReadyEvent): object {
  const object = { key: `${prefix}${marker}`, size: 1, ...arrival };
  return {
    version: '0',
    id: randomUUID(),
    source: 'aws.s3',
    'detail-type': 'Object Created',
    detail: { version: '0', bucket: { name: BUCKET }, object },
  };
}

/** Ingests a folder in this process, with test defaults that `overrides` replaces. */
export function ingestInto(
  table: Table,
  server: ObjectServer,
  event: ReadyEvent,
  overrides: Partial<IngestOptions> = {},
): Promise<IngestOutcome> {
  return ingestFolder({
    userIdKey,
    usersPrefix: '',
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
