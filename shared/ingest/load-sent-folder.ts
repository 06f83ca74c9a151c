import type { LoadReport } from '../load/check/load-report.ts';
import { type LoadOptions, type LoadRules, loadFolder, recordRejection } from '../load/load-folder.ts';
import { LISTING_FILES } from '../load/schema/file-columns.ts';
import { isUnknownId, MAX_PROBLEMS, type Problem, Problems } from '../load/schema/problems.ts';
import { COLUMNS_FILE, classifyFiles } from '../load/source/find-files.ts';
import { type Bucket, type PinnedObject, UnreadableObjectError } from './bucket.ts';
import { bucketSource } from './bucket-source.ts';
import { ProgressWriter } from './progress-writer.ts';
import type { ReadyEvent } from './ready-event.ts';
import { parseReadyFile, type ReadyFile, SUCCESS_FILE } from './ready-file.ts';
import { type Arrival, IngestReport, isSameArrival, parseFile, REPORT_FILE } from './report-file.ts';
import { problemOf, verifyFiles } from './verify-files.ts';

export interface IngestOptions
  extends Pick<
      LoadOptions,
      | 'table'
      | 'timeZone'
      | 'productIds'
      | 'currency'
      | 'attribution'
      | 'userIdKey'
      | 'onChange'
      | 'clock'
      | 'lease'
      | 'limits'
    >,
    LoadRules,
    ReadyEvent {
  readonly bucket: Bucket;
  /** Users are loaded from folders below this prefix only. */
  readonly usersPrefix: string;
  /** Ends the load. Its reason is an Error whose message says why and what to do. */
  readonly signal: AbortSignal;
  /** Time until the next attempt if this one fails; undefined if it is the last one. */
  readonly retryInSeconds: number | undefined;
  /** Called with the file that is read and checked from now on, and with undefined when all files have been checked. */
  readonly onReading?: (file: string | undefined) => void;
  /** Called when facts were rejected only because listings lack their ids: the report says that they are tried again. Absent: they are not. */
  readonly onUnknownIds?: (() => Promise<unknown>) | undefined;
  /** Maximum time to undo the load after the signal has aborted; if that is not enough, the next load undoes it. */
  readonly undoMs: number;
}

/**
 * The outcome in the report, or why nothing was loaded: `repeated` if the arrival has a report that is not `failed`, `superseded` if `_READY` has been
 * replaced or deleted since.
 */
export type IngestOutcome = IngestReport['outcome'] | 'repeated' | 'superseded';

/**
 * Loads the folder whose `_READY` has arrived, and writes the report into it. The folder is loaded as a whole or not at all, as by loadFolder.
 * @throws errors that the folder did not cause; a retry may succeed. Those of the load itself are also in the report, if it can be written.
 */
export async function ingestFolder(options: IngestOptions): Promise<IngestOutcome> {
  const { bucket, table, prefix, arrival, retryInSeconds } = options;
  const parsed = await readReady(options);
  if (parsed === undefined) return 'superseded';
  if (await isReported(options)) return 'repeated';

  const startedAt = new Date().toISOString();
  const header = headerOf(arrival, parsed);
  const progress = new ProgressWriter(bucket, prefix, header);
  const write = async (result: Result): Promise<void> => {
    await progress.close();
    await writeReport(options, { ...header, startedAt }, result);
  };
  let result: Result;
  try {
    result = 'problems' in parsed ? rejection(parsed.problems) : await load(options, parsed, progress);
    if ('problems' in parsed || !parsed.ready.check) await recordRejection(table, subjectOf(options), result);
  } catch (error) {
    const failure = ended('failed', `${messageOf(error)}. ${describeRetry(retryInSeconds)}`);
    const retry = retryInSeconds === undefined ? {} : { retryInSeconds };
    await write({ ...failure, ...retry }).catch(() => undefined); // the first error matters more
    throw error;
  }
  await write(result);
  return result.outcome;
}

/**
 * Writes the report about a load that was ended from outside.
 * @param reason why, and what to do: the end of a sentence that begins with `reading`, or with the load if that is undefined
 * @param reading the file that was read last; undefined if none was being checked
 */
export async function reportKilled(
  event: ReadyInBucket & Pick<IngestOptions, 'table'>,
  startedAt: string,
  reason: string,
  reading: string | undefined,
): Promise<IngestOutcome> {
  const result =
    reading === undefined
      ? ended('abandoned', `The load ${reason}. Unless npx endcap audit lists it, nothing has changed.`)
      : rejection([{ file: reading, line: null, field: null, reason }]);
  const header = headerOf(event.arrival, await readReady(event));
  await recordRejection(event.table, subjectOf(event), result);
  await writeReport(event, { ...header, startedAt }, result);
  return result.outcome;
}

function writeReport({ bucket, prefix }: ReadyInBucket, header: object, result: Result): Promise<unknown> {
  return bucket.writeJson(`${prefix}${REPORT_FILE}`, { ...header, endedAt: new Date().toISOString(), ...result });
}

/** @returns what the audit says of the load */
function subjectOf({ bucket, prefix }: ReadyInBucket): Pick<LoadOptions, 'folder' | 'actor'> {
  return { folder: `s3://${bucket.name}/${prefix}`, actor: 'the ingestion of the stack' };
}

type ReadyInBucket = Pick<IngestOptions, 'bucket' | keyof ReadyEvent>;

/** @returns the content of `_READY`, or the problems with it; undefined if it has been replaced or deleted since its arrival */
async function readReady({ bucket, prefix, marker, arrival }: ReadyInBucket): Promise<ParsedReady | undefined> {
  try {
    const found = await bucket.readText(`${prefix}${marker}`);
    if (found?.object.etag !== arrival.etag) return undefined;
    const { text, object } = found;
    const isEmpty = marker === SUCCESS_FILE || text.trim() === '';
    return { markedAt: object.modifiedAt, ...(isEmpty ? { ready: ALL_FILES } : parseReadyFile(text)) };
  } catch (error) {
    if (!(error instanceof UnreadableObjectError)) throw error;
    return { problems: [{ file: marker, line: null, field: null, reason: error.reason }] };
  }
}

type ParsedReady = { ready: ReadyFile; markedAt: Date | undefined } | { problems: Problem[] };

/** An empty `_READY` stands for all files below its prefix at this moment. */
const ALL_FILES: ReadyFile = { files: [] };

const ABOVE_LISTING = new RegExp(`^(?:.*/)?(?=(?:${LISTING_FILES.join('|')})(?:\\.patch)?/$)`);

/** @returns the prefix of the folder. Spark writes `_SUCCESS` beside the files of each dataset, such as `2026-03/facts/pla/delivery/` or `2026-03/campaigns/`; `_READY` is in the folder itself. */
function folderOf({ prefix, marker }: Pick<ReadyEvent, 'prefix' | 'marker'>): string {
  if (marker !== SUCCESS_FILE) return prefix;
  const [folder = ''] = /^(?:.*?\/)?(?=(?:facts|experience=[^/]*)\/)/i.exec(prefix) ??
    ABOVE_LISTING.exec(prefix) ?? [prefix];
  return folder;
}

/** @returns the files below the prefix, and the file that maps the folder's columns, by their names in the folder */
async function listFiles({ bucket, prefix, marker }: ReadyInBucket): Promise<Map<string, PinnedObject>> {
  const folder = folderOf({ prefix, marker });
  const columns = `${folder}${COLUMNS_FILE}`;
  const above = folder === prefix ? [] : [...(await bucket.list(columns))].filter(([key]) => key === columns);
  const objects = [...above, ...(await bucket.list(prefix))];
  return new Map(objects.map(([key, object]) => [key.slice(folder.length), object]));
}

/** @returns the members of a report that identify the arrival */
function headerOf(arrival: Arrival, parsed: ParsedReady | undefined): Pick<IngestReport, 'id' | 'arrival'> {
  const id = parsed !== undefined && 'ready' in parsed ? parsed.ready.id : undefined;
  return { ...(id === undefined ? {} : { id }), arrival };
}

const OUT_OF_TIME = 'The function ran out of time because of another load';

/** @returns a sentence about the next attempt. It holds after the commit as well: the outcome of the retry is then `unchanged`. */
function describeRetry(seconds: number | undefined): string {
  const next =
    seconds === undefined
      ? 'this was the last attempt'
      : `the next attempt begins in ${seconds} seconds, before the folders that arrived later`;
  return `The folder is loaded as a whole or not at all; ${next}.`;
}

type Result = Omit<LoadReport, 'outcome'> & Pick<IngestReport, 'outcome' | 'reason' | 'retryInSeconds'>;

/** A report that cannot be read counts as none, because the writer of the folder may have put anything there: the load is repeated at worst. */
async function isReported({ bucket, prefix, arrival }: IngestOptions): Promise<boolean> {
  const found = await bucket.readText(`${prefix}${REPORT_FILE}`).catch(() => undefined);
  const report = found && parseFile(IngestReport, found.text);
  return report !== undefined && report.outcome !== 'failed' && isSameArrival(report.arrival, arrival);
}

async function load(
  options: IngestOptions,
  { ready: { files, ...choice }, markedAt }: Exclude<ParsedReady, { problems: Problem[] }>,
  progress: ProgressWriter,
): Promise<Result> {
  const { bucket, prefix, usersPrefix, signal, undoMs, table, onUnknownIds, onReading = () => undefined } = options;
  /** The loader's last note; all of its notes are about another load. */
  let otherLoad: string | undefined;
  try {
    const total = files.reduce((sum, file) => sum + file.bytes, 0);
    let done = 0;
    const onBytes = (bytes: number) => {
      done += bytes;
      progress.report({ stage: 'verify', done, total, rows: 0 });
    };
    const { objects, problems } =
      files.length === 0
        ? { objects: await listFiles(options), problems: [] }
        : await verifyFiles(bucket, prefix, files, { signal, onBytes });
    if (problems.length > 0) return rejection(problems);
    let readError: unknown;
    const source = bucketSource(bucket, objects, onReading, (error) => {
      readError = error;
    });
    const { listings } = classifyFiles(await source.list(), new Problems());
    const users = listings.find(({ holds }) => holds === 'users');
    if (users !== undefined && !prefix.startsWith(usersPrefix)) return rejection([rejectedUsers(users, usersPrefix)]);
    const loading = loadFolder({
      ...options,
      ...subjectOf(options),
      source,
      ...choice,
      markedAt,
      onNote: (note) => {
        otherLoad = note;
        progress.reportWait(note);
        onReading(undefined); // all files have been checked
      },
      onProgress: (current) => {
        if (current.stage !== 'check') onReading(undefined);
        progress.report({ ...current, throttledTo: table.throttledTo });
      },
    });
    const report = await Promise.race([loading, rejectAfterUndo(signal, undoMs)]);
    // readers of file formats report a network error as a damaged file
    if (report.outcome === 'rejected' && readError !== undefined) throw readError;
    const hasListings = [...objects.keys()].some((name) => LISTING_FILES.some((listing) => name.startsWith(listing)));
    const lacksIds = report.outcome === 'rejected' && report.problems.every(isUnknownId) && !hasListings;
    if (!lacksIds || choice.check === true || onUnknownIds === undefined) return report;
    await onUnknownIds();
    return { ...report, warnings: [TRIED_AGAIN] };
  } catch (error) {
    const problem = problemOf(error, folderOf(options));
    if (problem !== undefined) return rejection([problem]);
    if (!signal.aborted) throw error;
    // a retry that does not have to wait may succeed, so the folder is not necessarily too large
    if (otherLoad !== undefined) throw new Error(`${OUT_OF_TIME} (${otherLoad})`, { cause: signal.reason });
    return ended('abandoned', messageOf(signal.reason));
  }
}

function rejectedUsers({ name }: { readonly name: string }, usersPrefix: string): Problem {
  const reason = `is loaded from folders of the bucket below ${usersPrefix} only, where the roles of the setting userUploaders may write; or load it from a machine`;
  return { file: name, line: null, field: null, reason };
}

const TRIED_AGAIN =
  'only ids are unknown: for two weeks, the folder is tried again after each folder of the bucket that changes ad groups or placements';

/** Rejects with the signal's reason `undoMs` after it has aborted. */
function rejectAfterUndo(signal: AbortSignal, undoMs: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), undoMs).unref(), { once: true });
  return promise;
}

function rejection(problems: readonly Problem[]): Result {
  return {
    ...NOTHING,
    outcome: 'rejected',
    problems: problems.slice(0, MAX_PROBLEMS),
    problemCount: problems.length,
  };
}

function ended(outcome: 'abandoned' | 'failed', reason: string): Result {
  return { ...NOTHING, outcome, reason, problems: [], problemCount: 0 };
}

const NOTHING = { warnings: [], listings: [], facts: [], changes: [] };

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
