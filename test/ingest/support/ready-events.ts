import { randomUUID } from 'node:crypto';
import type { ReadyEvent } from '../../../shared/ingest/ready-event.ts';
import { BUCKET } from './object-server.ts';

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
