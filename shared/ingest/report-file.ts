import * as z from 'zod/mini';
import { EXPERIENCES, FACT_TABLES } from '../catalog/tables.ts';
import { LISTING_FILES } from '../load/schema/file-columns.ts';

/** Beside the files of the folder: how far the load is, and what became of it. */
export const PROGRESS_FILE = '_PROGRESS.json';
export const REPORT_FILE = '_REPORT.json';

/** Which arrival of `_READY` a file is about. S3 tells of an arrival at least once, so that it may be told of twice. */
const Arrival = z.object({ etag: z.string(), sequencer: z.string() });
export type Arrival = z.infer<typeof Arrival>;

const time = z.string(); // ISO 8601, UTC

export const IngestProgress = z.object({
  /** As in `_READY`. */
  id: z.optional(z.string()),
  arrival: Arrival,
  at: time,
  /** `verify` comes before those of a load, and counts bytes. */
  stage: z.enum(['verify', 'check', 'write listings', 'write facts']),
  done: z.number(),
  total: z.number(),
  rows: z.number(),
});
export type IngestProgress = z.infer<typeof IngestProgress>;

export const IngestReport = z.object({
  /** As in `_READY`. */
  id: z.optional(z.string()),
  arrival: Arrival,
  startedAt: time,
  endedAt: time,
  /**
   * `loaded`, `unchanged` (all of it had been loaded before), `rejected` (there are problems), `abandoned` (all the time of one function
   * was not enough: it is not tried again), `failed` (something went wrong that is not the folder's fault, another load having taken its time among it; it
   * is tried again twice). Only `loaded` has changed anything, and maybe `failed`, if it
   * did so in the last step.
   */
  outcome: z.enum(['loaded', 'unchanged', 'rejected', 'abandoned', 'failed']),
  /** What happened and what to do, where the folder was abandoned or failed. */
  reason: z.optional(z.string()),
  problems: z.array(
    z.object({ file: z.string(), line: z.nullable(z.number()), field: z.nullable(z.string()), reason: z.string() }),
  ),
  /** All problems, told or not. */
  problemCount: z.number(),
  warnings: z.array(z.string()),
  listings: z.array(
    z.object({ listing: z.enum(LISTING_FILES), rows: z.number(), outcome: z.enum(['written', 'unchanged']) }),
  ),
  facts: z.array(
    z.object({ experience: z.enum(EXPERIENCES), table: z.enum(FACT_TABLES), rows: z.number(), days: z.number() }),
  ),
  /** Days that the deletions file has emptied; reports of older stacks lack it. */
  emptied: z._default(
    z.array(z.object({ experience: z.enum(EXPERIENCES), table: z.enum(FACT_TABLES), days: z.number() })),
    [],
  ),
});
export type IngestReport = z.infer<typeof IngestReport>;

/** @returns what the text says, undefined where it is no such file */
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
