import * as z from 'zod/mini';
import { READY_FILE, SUCCESS_FILE } from './ready-file.ts';
import type { Arrival } from './report-file.ts';

/** The members used of S3's event "Object Created" from EventBridge. */
const ObjectCreated = z.object({
  detail: z.object({
    object: z.object({ key: z.string(), etag: z.string(), sequencer: z.string() }),
  }),
});

/** The arrival of a folder's `_READY` or `_SUCCESS`. */
export interface ReadyEvent {
  /** The prefix of the keys of the file and of what it stands for: empty, or ending in `/`. */
  readonly prefix: string;
  readonly marker: typeof READY_FILE | typeof SUCCESS_FILE;
  readonly arrival: Arrival;
}

/** @throws Error if the event is not about such a file, which means that the event rule is wrong */
export function parseReadyEvent(event: unknown): ReadyEvent {
  const { key, etag, sequencer } = ObjectCreated.parse(event).detail.object;
  const name = key.slice(key.lastIndexOf('/') + 1);
  const marker = ([READY_FILE, SUCCESS_FILE] as const).find((candidate) => candidate === name);
  if (marker === undefined) throw new Error(`${key} is not ${READY_FILE} or ${SUCCESS_FILE}`);
  return { prefix: key.slice(0, -name.length), marker, arrival: { etag, sequencer } };
}
