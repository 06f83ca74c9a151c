import * as z from 'zod/mini';
import { READY_FILE } from './ready-file.ts';
import type { Arrival } from './report-file.ts';

/** What EventBridge hands over of S3's "Object Created", as far as it matters. */
const ObjectCreated = z.object({
  detail: z.object({
    object: z.object({ key: z.string(), etag: z.string(), sequencer: z.string() }),
  }),
});

/** The arrival of a folder's `_READY`. */
export interface ReadyEvent {
  /** What the keys of the folder begin with: empty, or with a `/` at the end. */
  readonly prefix: string;
  readonly arrival: Arrival;
}

/** @throws Error where the event is not about a file `_READY`: then the rule that sends it is wrong */
export function parseReadyEvent(event: unknown): ReadyEvent {
  const { key, etag, sequencer } = ObjectCreated.parse(event).detail.object;
  const prefix = key.slice(0, -READY_FILE.length);
  if (!key.endsWith(READY_FILE) || (prefix !== '' && !prefix.endsWith('/'))) {
    throw new Error(`${key} is not the ${READY_FILE} of a folder`);
  }
  return { prefix, arrival: { etag, sequencer } };
}
