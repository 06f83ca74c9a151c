import type { Clock } from '../lib/clock.ts';
import { beginCommit, type CommitWriter, readCommit } from '../store/commit/commits.ts';
import type { Table } from '../store/table/client.ts';
import { type CheckedFolder, checkFolder } from './check-folder.ts';
import { FactWarnings } from './fact-warnings.ts';
import { directorySource, type FileSource } from './file-source.ts';
import type { LoadReport, Progress } from './load-report.ts';
import { type LoadLimits, type LoadTools, openTools } from './load-tools.ts';
import { Problems } from './problems.ts';
import { watchReading } from './watch-reading.ts';
import { writeFolder } from './write-folder.ts';

export interface LoadOptions {
  /** A directory, or the name by which people know `source`. */
  readonly folder: string;
  /** Where the files are read from; absent = the directory `folder`. */
  readonly source?: FileSource;
  readonly table: Table;
  /** The platform's zone, an IANA name: days and hours of facts are its days and hours. */
  readonly timeZone: string;
  readonly onProgress?: (progress: Progress) => void;
  /** Told in a sentence when the load has to wait, or to begin anew. */
  readonly onNote?: (note: string) => void;
  readonly limits?: LoadLimits;
  /** Ends the load; what it has written is removed. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** How long another load is waited for, and after which silence it counts as dead. */
  readonly lease?: { readonly waitMs?: number; readonly silenceMs?: number };
}

const PROBLEMS = 100;
const ATTEMPTS = 5;
/** A busy machine may keep this thread from renewing its lease for some seconds; one that died is waited for as long. */
const LEASE = { silenceMs: 20_000, waitMs: 60_000 };

/**
 * Loads a folder: checks all of it, and if nothing is wrong writes all of it under one commit. A listing file replaces its listing; the days of
 * facts that the folder has replace those of their advertiser, experience and table; everything else stays.
 * @throws the signal's reason when it aborts, ApiError STORE_BUSY when another load does not end; then nothing has changed
 */
export async function loadFolder(options: LoadOptions): Promise<LoadReport> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const report = await tryLoad(options);
    if (report !== undefined) return report;
    options.onNote?.('another load has ended meanwhile: the folder is checked again');
  }
  throw new Error('the data changed again and again while the folder was checked: nothing was loaded');
}

/** @returns undefined when the table has changed since the folder was checked */
async function tryLoad(options: LoadOptions): Promise<LoadReport | undefined> {
  const { folder, table, timeZone, signal = new AbortController().signal, limits = {}, onProgress } = options;
  signal.throwIfAborted();
  const watched = await watchReading(options.source ?? directorySource(folder), onProgress);
  const tools = await openTools(await watched.source.list(), limits);
  try {
    const problems = new Problems(limits.problems ?? PROBLEMS);
    const state = await readCommit(table);
    const reading = {
      ...watched,
      ...tools,
      problems,
      factWarnings: new FactWarnings(timeZone),
      signal,
      folder,
      timeZone,
    };
    const checked = await checkFolder(reading, table, state);
    if (problems.count > 0) return rejection(checked, problems);
    return await write(options, checked, tools, signal);
  } finally {
    await tools.close();
  }
}

function rejection(checked: CheckedFolder, problems: Problems): LoadReport {
  const { warnings } = checked;
  return {
    outcome: 'rejected',
    problems: problems.told(),
    problemCount: problems.count,
    warnings,
    listings: [],
    facts: [],
    emptied: [],
  };
}

async function write(
  options: LoadOptions,
  checked: CheckedFolder,
  tools: LoadTools,
  signal: AbortSignal,
): Promise<LoadReport | undefined> {
  const { table } = options;
  const before = checked.state.commit;
  const writer = await begin(options, signal);
  const report = await writeOrAbandon(options, writer, checked, tools, signal);
  if (report === undefined) return undefined;
  // From here on nothing is undone: a commit whose answer gets lost may have been made. If it was not, the next load cleans up.
  await writer.finish();
  return (await isStillAt(before, table)) ? { ...report, outcome: 'unchanged' } : report;
}

async function writeOrAbandon(
  options: LoadOptions,
  writer: CommitWriter,
  checked: CheckedFolder,
  tools: LoadTools,
  signal: AbortSignal,
): Promise<LoadReport | undefined> {
  try {
    const { commit } = await readCommit(options.table);
    if (commit === checked.state.commit) {
      const both = AbortSignal.any([signal, writer.signal]);
      const report = await writeFolder(writer, checked, tools, { ...options, signal: both });
      both.throwIfAborted();
      return report;
    }
  } catch (error) {
    await writer.abandon().catch(() => undefined); // what it cannot remove, the next load does
    throw error;
  }
  await writer.abandon();
  return undefined;
}

/** A load that wrote nothing leaves the commit where it was. That this cannot be read any more does not undo the load. */
async function isStillAt(commit: number, table: Table): Promise<boolean> {
  const now = await readCommit(table).catch(() => undefined);
  return now?.commit === commit;
}

/** Takes the lease, unless the signal aborts before it is had. */
async function begin({ table, folder, onNote, lease }: LoadOptions, signal: AbortSignal): Promise<CommitWriter> {
  const beginning = beginCommit(table, {
    ...LEASE,
    ...lease,
    owner: `the load of ${folder}`,
    ...(onNote === undefined ? {} : { onWait: onNote }),
  });
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([beginning, aborted.promise]);
  } catch (error) {
    if (signal.aborted)
      await beginning.then(
        (writer) => writer.abandon(),
        () => undefined,
      );
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
