import * as z from 'zod/mini';
import { READY_FILE } from './ready-file.ts';
import type { Arrival } from './report-file.ts';

/** The members used of S3's event "Object Created" from EventBridge. */
const ObjectCreated = z.object({
  detail: z.object({
    object: z.object({ key: z.string(), etag: z.string(), sequencer: z.string() }),
  }),
});

/** The arrival of a folder's `_READY`. */
export interface ReadyEvent {
  /** The prefix of the folder's keys: empty, or ending in `/`. */
  readonly prefix: string;
  readonly arrival: Arrival;
}

/** @throws Error if the event is not about a file `_READY`, which means that the event rule is wrong */
export function parseReadyEvent(event: unknown): ReadyEvent {
  const { key, etag, sequencer } = ObjectCreated.parse(event).detail.object;
  const prefix = key.slice(0, -READY_FILE.length);
  if (!key.endsWith(READY_FILE) || (prefix !== '' && !prefix.endsWith('/'))) {
    throw new Error(`${key} is not the ${READY_FILE} of a folder`);
  }
  return { prefix, arrival: { etag, sequencer } };
}
