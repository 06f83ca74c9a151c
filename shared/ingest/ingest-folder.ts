import { type LoadOptions, loadFolder } from '../load/load-folder.ts';
import type { LoadReport } from '../load/load-report.ts';
import type { Problem } from '../load/schema/problems.ts';
import { type Bucket, ObjectChangedError } from './bucket.ts';
import { bucketSource } from './bucket-source.ts';
import { ProgressWriter } from './progress-writer.ts';
import type { ReadyEvent } from './ready-event.ts';
import { parseReadyFile, READY_FILE, type ReadyFile } from './ready-file.ts';
import { IngestReport, isSameArrival, parseFile, REPORT_FILE } from './report-file.ts';
import { CHANGED, verifyFiles } from './verify-files.ts';

export interface IngestOptions
  extends Pick<LoadOptions, 'table' | 'timeZone' | 'clock' | 'lease' | 'limits'>,
    ReadyEvent {
  readonly bucket: Bucket;
  /** Ends the load; its reason is an Error whose message says why and what to do. */
  readonly signal: AbortSignal;
  /** How long the removal of what was written may take once the signal has aborted: after that, the next load does it. */
  readonly removeMs: number;
}

/** What became of an arrival: that of the report, or nothing because the arrival was dealt with before, or another one has come since. */
export type Ingested = IngestReport['outcome'] | 'repeated' | 'superseded';

/**
 * Loads the folder whose `_READY` has arrived, and writes the report beside it. All of the folder is loaded or nothing, as by loadFolder.
 * @throws what went wrong where it is not the folder's fault; that, too, is in the report. Trying again may help.
 */
export async function ingestFolder(options: IngestOptions): Promise<Ingested> {
  const { bucket, prefix, arrival } = options;
  const found = await bucket.readText(`${prefix}${READY_FILE}`);
  if (found === undefined || found.object.etag !== arrival.etag) return 'superseded';
  if (await isReported(options)) return 'repeated';

  const startedAt = new Date().toISOString();
  const parsed = parseReadyFile(found.text);
  const id = 'ready' in parsed ? parsed.ready.id : undefined;
  const about = { ...(id === undefined ? {} : { id }), arrival };
  const progress = new ProgressWriter(bucket, prefix, about);
  const write = async (result: Result): Promise<void> => {
    await progress.close();
    const report: IngestReport = { ...about, startedAt, endedAt: new Date().toISOString(), ...result };
    await bucket.writeText(`${prefix}${REPORT_FILE}`, `${JSON.stringify(report, undefined, 2)}\n`);
  };
  let result: Result;
  try {
    result = 'problems' in parsed ? rejection(parsed.problems) : await load(options, parsed.ready, progress);
  } catch (error) {
    await write(ended('failed', `${messageOf(error)}. ${TRIED_AGAIN}`)).catch(() => undefined); // the error itself must be seen
    throw error;
  }
  await write(result);
  return result.outcome;
}

/** Why a folder is tried again that ran out of time. */
const TIME_TAKEN = 'The time of the function was not enough, since there was another load';

/** What is lost in the very last step may have been loaded: then trying again finds nothing to do. */
const TRIED_AGAIN = 'The folder is loaded whole or not at all; it is tried again twice, some minutes later.';

type Result = Omit<IngestReport, 'id' | 'arrival' | 'startedAt' | 'endedAt'>;

async function isReported({ bucket, prefix, arrival }: IngestOptions): Promise<boolean> {
  const found = await bucket.readText(`${prefix}${REPORT_FILE}`);
  const report = found && parseFile(IngestReport, found.text);
  return report !== undefined && report.outcome !== 'failed' && isSameArrival(report.arrival, arrival);
}

async function load(options: IngestOptions, { files }: ReadyFile, progress: ProgressWriter): Promise<Result> {
  const { bucket, prefix, signal, removeMs, table, timeZone, clock, lease, limits } = options;
  let waited: string | undefined;
  try {
    const total = files.reduce((sum, file) => sum + file.bytes, 0);
    let done = 0;
    const onBytes = (bytes: number) => {
      done += bytes;
      progress.tell({ stage: 'verify', done, total, rows: 0 });
    };
    const { objects, problems } = await verifyFiles(bucket, prefix, files, { signal, onBytes });
    if (problems.length > 0) return rejection(problems);
    let broken: unknown;
    const source = bucketSource(bucket, objects, (error) => {
      broken = error;
    });
    const loading = loadFolder({
      folder: `s3://${bucket.name}/${prefix}`,
      source,
      table,
      timeZone,
      signal,
      ...(clock === undefined ? {} : { clock }),
      ...(lease === undefined ? {} : { lease }),
      ...(limits === undefined ? {} : { limits }),
      onNote: (note) => {
        waited = note;
      },
      onProgress: (told) => progress.tell(told),
    });
    const report = await Promise.race([loading, deadlineExceeded(signal, removeMs)]);
    // to a reader of a format, a network that breaks off is a damaged file
    if (report.outcome === 'rejected' && broken !== undefined) throw broken;
    return reported(report);
  } catch (error) {
    if (error instanceof ObjectChangedError) {
      return rejection([{ file: error.key.slice(prefix.length), line: null, field: null, reason: CHANGED }]);
    }
    if (!signal.aborted) throw error;
    // with all of its time, the next try may do what this one could not: only a folder that had it all is too large
    if (waited !== undefined) throw new Error(`${TIME_TAKEN} (${waited})`, { cause: signal.reason });
    return ended('abandoned', messageOf(signal.reason));
  }
}

/** Rejects with the signal's reason, `removeMs` after it has aborted. */
function deadlineExceeded(signal: AbortSignal, removeMs: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), removeMs).unref(), { once: true });
  return promise;
}

/** A copy that may be changed, as the schema's type has it. */
function reported({ outcome, problems, problemCount, warnings, listings, facts, emptied }: LoadReport): Result {
  return {
    outcome,
    problems: [...problems],
    problemCount,
    warnings: [...warnings],
    listings: [...listings],
    facts: [...facts],
    emptied: [...emptied],
  };
}

function rejection(problems: readonly Problem[]): Result {
  return { ...NOTHING, outcome: 'rejected', problems: [...problems], problemCount: problems.length };
}

function ended(outcome: 'abandoned' | 'failed', reason: string): Result {
  return { ...NOTHING, outcome, reason, problems: [], problemCount: 0 };
}

const NOTHING = { warnings: [], listings: [], facts: [], emptied: [] };

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
