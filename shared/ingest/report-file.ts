import * as z from 'zod/mini';
import type { LoadReport } from '../load/check/load-report.ts';

/** Written into the folder: the progress and the result of its load. */
export const PROGRESS_FILE = '_PROGRESS.json';
export const REPORT_FILE = '_REPORT.json';

/** Identifies one arrival of `_READY`. S3 may deliver the event of an arrival more than once. */
const Arrival = z.object({ etag: z.string(), sequencer: z.string() });
export type Arrival = z.infer<typeof Arrival>;

const time = z.string(); // ISO 8601, UTC

export const IngestProgress = z.object({
  /** As in `_READY`. */
  id: z.optional(z.string()),
  arrival: Arrival,
  at: time,
  /** `verify` precedes the stages of a load and counts bytes. */
  stage: z.enum(['verify', 'check', 'write listings', 'write facts']),
  done: z.number(),
  total: z.number(),
  rows: z.number(),
  /** The rate in write units per second to which the load limits its writes; absent until a write has been rejected. */
  throttledTo: z.optional(z.number()),
  /** Which other load this one waits for, in a sentence. */
  waitsFor: z.optional(z.string()),
});
export type IngestProgress = z.infer<typeof IngestProgress>;

/** @returns the schema of a list of LoadReport, whose members the ingestion has written */
const list = <T>() => z.custom<T>((value) => Array.isArray(value));

/** The result of a load. The members that it shares with LoadReport have the same meaning. */
export const IngestReport = z.object({
  /** As in `_READY`. */
  id: z.optional(z.string()),
  arrival: Arrival,
  startedAt: time,
  endedAt: time,
  /**
   * - `loaded`
   * - `unchanged`: the folder changes nothing, for example because it had been loaded before.
   * - `checked`: `_READY` asks for what the folder would change, and nothing was written.
   * - `rejected`: the folder has problems.
   * - `abandoned`: the folder takes longer than a function may run; or, while no file was being checked, its load ran out of memory, did not respond or did not
   *   end. The load is not retried.
   * - `failed`: an error that the folder did not cause, or another load that took too long.
   *
   * Only `loaded` changes data, and `failed` or `abandoned` if the load ended after its commit.
   */
  outcome: z.enum(['loaded', 'unchanged', 'checked', 'rejected', 'abandoned', 'failed']),
  /** What happened and what to do, if the outcome is `abandoned` or `failed`. */
  reason: z.optional(z.string()),
  /** Time until the next attempt, whose report replaces this one; absent unless the outcome is `failed` and there is one. */
  retryInSeconds: z.optional(z.number()),
  problems: list<LoadReport['problems']>(),
  /** The number of all problems, including those that `problems` omits. `_READY` itself is checked only until it has MAX_PROBLEMS problems. */
  problemCount: z.number(),
  warnings: z.array(z.string()),
  listings: list<LoadReport['listings']>(),
  facts: list<LoadReport['facts']>(),
  changes: list<LoadReport['changes']>(),
});
export type IngestReport = z.infer<typeof IngestReport>;

/** @returns the parsed text; undefined if it does not match the schema */
export function parseFile<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export function isSameArrival(one: Arrival, other: Arrival): boolean {
  return one.etag === other.etag && one.sequencer === other.sequencer;
}
