import type { ProductIds } from '../catalog/dimensions.ts';
import { type Finality, lastFinalDay } from '../catalog/methodology.ts';
import { EXPERIENCES } from '../catalog/tables.ts';
import { todayIn } from '../lib/calendar.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { recordAudit } from '../store/audit-trail.ts';
import type { LoadEntry } from '../store/commit/audit-entry.ts';
import { beginCommit, type CommitWriter, readCommit, rehearseCommit } from '../store/commit/commits.ts';
import {
  checkDataSettings,
  type DataSettings,
  fingerprintOf,
  recordDataSettings,
  type UserIdKeySource,
} from '../store/data-settings.ts';
import type { Table } from '../store/table/table.ts';
import { type CheckedFolder, checkFolder } from './check/check-folder.ts';
import type { LoadReport, Progress } from './check/load-report.ts';
import { explainOlder } from './check/marked-loads.ts';
import { keepStoredColumns, recordColumns } from './check/stored-columns.ts';
import { FactWarnings } from './encode/fact-warnings.ts';
import { openResources, type ResourceLimits } from './open-resources.ts';
import { Problems } from './schema/problems.ts';
import type { ReplaceMode } from './schema/replace-modes.ts';
import { directorySource, type FileSource } from './source/file-source.ts';
import type { ChangeLimits } from './write/day-changes.ts';
import { type FolderWriting, writeFolder } from './write/write-folder.ts';

export interface LoadRules extends Omit<ChangeLimits, 'finalThrough'> {
  /** Whether a folder that is older than a load of the same days or listings is rejected, instead of loaded with a warning. */
  readonly rejectOlder?: boolean | undefined;
  /** When figures are final: a warning says which final days a load changes; absent: not stated. */
  readonly finality?: Finality | undefined;
}

export interface LoadOptions extends LoadRules {
  /** A directory, or the name by which messages call `source`. */
  readonly folder: string;
  /** Where the files are read from; absent = the directory `folder`. */
  readonly source?: FileSource;
  readonly table: Table;
  /** The platform's zone, an IANA name: days and hours of facts are its days and hours. */
  readonly timeZone: string;
  /** The same for all loads into the table; default: UPCs. */
  readonly productIds?: ProductIds;
  /** The same for all loads into the table; absent: not compared. */
  readonly currency?: string | undefined;
  /** The setting `attribution` as JSON. A change is recorded in the audit. */
  readonly attribution?: string | undefined;
  /** The secret with which shopper ids are hashed; the same for all loads into the table. */
  readonly userIdKey: UserIdKeySource;
  /** What the folder's facts replace; absent: its advertisers' days, with a warning of other advertisers that have rows of these days. */
  readonly replace?: ReplaceMode | undefined;
  /** Whether the report says what the load would change, and nothing is written. */
  readonly check?: boolean | undefined;
  /** Whether days beyond the limits are loaded with a warning. */
  readonly accept?: boolean | undefined;
  /** When the folder was complete; absent: it is not compared with other loads. */
  readonly markedAt?: Date | undefined;
  /** Who loads the folder, for the audit; absent = unknown. */
  readonly actor?: string;
  readonly onProgress?: (progress: Progress) => void;
  /** Called with a sentence when the load has to wait, or to start again. */
  readonly onNote?: (note: string) => void;
  /** Called once the load is committed, with its entry of the audit; not called if it has changed nothing. */
  readonly onChange?: (change: LoadEntry) => void;
  /** `problems`: how many of them the report holds. */
  readonly limits?: { readonly problems?: number } & ResourceLimits;
  /** Ends the load, unless its commit has begun; what it has written is removed, by the next load if need be. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  /** How long to wait for another load, and after how long a silence other loads count this one as dead. */
  readonly lease?: { readonly waitMs?: number; readonly silenceMs?: number };
}

/**
 * Loads a folder: checks all of it, and if nothing is wrong writes all of it under one commit. A listing file replaces its listing, a patch some rows of it; the
 * days of facts that the folder has replace those of their advertiser, experience and table, and its deletions empty days; everything else stays.
 * @throws the signal's reason when it aborts; an Error if the table's shopper ids were hashed with another key or without one, or its data was loaded with other settings, if this load loses its
 * lease; ApiError STORE_BUSY if another load does not end. In these cases nothing has changed
 * @throws other errors of the source, the table or a thread; if the response to the commit was lost, the load may have been made
 */
export async function loadFolder(options: LoadOptions): Promise<LoadReport> {
  for (;;) {
    const report = await tryLoad(options);
    if (report !== undefined) return report;
    options.onNote?.('another load has ended meanwhile: the folder is checked again');
  }
}

/** @returns undefined if another load has committed since the check began */
async function tryLoad(options: LoadOptions): Promise<LoadReport | undefined> {
  const { folder, table, timeZone, productIds = 'upc', limits = {}, onProgress = ignore } = options;
  const { signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const startedAt = performance.now();
  const resources = await openResources(options.source ?? directorySource(folder), limits, onProgress);
  try {
    resources.reportCheck();
    const problems = new Problems(limits.problems);
    const factWarnings = new FactWarnings(timeZone);
    const state = await readCommit(table);
    const userIdKey = await options.userIdKey();
    const settings = dataSettings(options, userIdKey);
    const recorded = await checkDataSettings(table, state, settings);
    const ignored = keepStoredColumns(recorded.fields);
    const { replace, clock = systemClock } = options;
    const today = todayIn(timeZone, new Date(clock()));
    const reading = {
      ...resources,
      problems,
      factWarnings,
      signal,
      folder,
      timeZone,
      productIds,
      userIdKey,
      replace,
      today,
      ignored,
    };
    const checked = await checkFolder(reading, table, state);
    resources.reportCheck(true);
    const { markedAt } = options;
    const older = problems.count === 0 && markedAt && (await explainOlder(table, checked, markedAt));
    if (older && options.rejectOlder)
      problems.addFile(folder, `${older}; to load it all the same, write its _READY again`);
    else if (older) checked.warnings.push(`the folder ${older}: it replaces newer data`);
    if (problems.count > 0) return nameIds(rejection(checked, problems), checked);
    const { spill, pool } = resources;
    const recording = { recorded, settings: { ...settings, fields: recordColumns(recorded.fields, checked) } };
    const report = await write(options, checked, { spill, pool, startedAt, problems, ...recording }, signal);
    return report && nameIds(report, checked);
  } finally {
    await resources.close();
  }
}

/** Records a load in the audit if it was rejected, without the reasons, which may quote personal data. */
export async function recordRejection(
  table: Table,
  { folder, actor = 'unknown' }: Pick<LoadOptions, 'folder' | 'actor'>,
  { outcome, problems: [first], problemCount }: Pick<LoadReport, 'problems' | 'problemCount'> & { outcome: string },
): Promise<void> {
  if (outcome !== 'rejected') return;
  const details = { problems: problemCount, first: [first?.file, first?.line, first?.field].filter(Boolean).join(':') };
  const at = new Date().toISOString();
  await recordAudit(table, { at, actor, action: 'load rejected', subject: folder, details });
}

function ignore(): void {}

function rejection(checked: CheckedFolder, problems: Problems): LoadReport {
  return {
    outcome: 'rejected',
    problems: problems.list(),
    problemCount: problems.count,
    warnings: checked.warnings,
    listings: [],
    facts: [],
    changes: [],
  };
}

/** @returns the report with the texts of ids where the files have texts */
function nameIds(report: LoadReport, { textIds }: CheckedFolder): LoadReport {
  const problems = report.problems.map((problem) => ({ ...problem, reason: textIds.nameIn(problem.reason) }));
  return { ...report, problems, warnings: report.warnings.map((warning) => textIds.nameIn(warning)) };
}

type Resources = Pick<FolderWriting, 'spill' | 'pool' | 'startedAt' | 'problems'> & LoadSettings;

/** The settings that earlier loads have recorded, and those of this one. */
interface LoadSettings {
  readonly recorded: DataSettings;
  readonly settings: DataSettings;
}

function finalDays({ finality }: LoadOptions, today: number): FolderWriting['finalThrough'] {
  if (finality === undefined) return undefined;
  const days = EXPERIENCES.map((name) => [name, lastFinalDay(finality, name, { complete: today, today })] as const);
  return new Map(days.flatMap(([name, day]) => (day === undefined ? [] : [[name, day]])));
}

function dataSettings(options: LoadOptions, userIdKey: Uint8Array): DataSettings {
  const { currency, timeZone, productIds = 'upc', attribution } = options;
  return { currency, timeZone, productIds, attribution, userIdKey: fingerprintOf(userIdKey) };
}

/** Records the settings of a load, and in the audit the day on which the attribution has changed. */
async function recordSettings(options: LoadOptions, { recorded, settings }: LoadSettings): Promise<void> {
  const { table, folder, actor = 'unknown', clock = systemClock, attribution } = options;
  await recordDataSettings(table, recorded, settings);
  if (attribution === undefined || recorded.attribution === undefined || attribution === recorded.attribution) return;
  const details = { before: JSON.parse(recorded.attribution), after: JSON.parse(attribution) };
  const at = new Date(clock()).toISOString();
  await recordAudit(table, { at, actor, action: 'load attribution', subject: folder, details });
}

async function write(
  options: LoadOptions,
  checked: CheckedFolder,
  resources: Resources,
  signal: AbortSignal,
): Promise<LoadReport | undefined> {
  const writer = options.check ? rehearseCommit(options.table, checked.state) : await begin(options, signal);
  const report = await writeOrAbandon(options, writer, checked, resources, signal);
  if (report === undefined || report.outcome === 'rejected') return report;
  // A failed commit is not undone: if only its response was lost, it has been made. If it was not made, the next load cleans up.
  const change = await writer.finish();
  if (options.check) return { ...report, outcome: 'checked' };
  if (change === undefined) return { ...report, outcome: 'unchanged' };
  options.onChange?.(change);
  return report;
}

async function writeOrAbandon(
  options: LoadOptions,
  writer: CommitWriter,
  checked: CheckedFolder,
  resources: Resources,
  signal: AbortSignal,
): Promise<LoadReport | undefined> {
  const { clock = systemClock, actor = 'unknown', onProgress = ignore } = options;
  let rejected: LoadReport | undefined;
  try {
    const { commit } = await readCommit(options.table);
    if (commit === checked.state.commit) {
      const both = AbortSignal.any([signal, writer.signal]);
      const finalThrough = finalDays(options, todayIn(options.timeZone, new Date(clock())));
      const writing = { ...options, ...resources, finalThrough, signal: both, clock, actor, onProgress };
      const report = await writeFolder(writer, checked, writing);
      if (!options.check) await recordSettings({ ...options, table: writer.table }, resources);
      both.throwIfAborted();
      if (resources.problems.count === 0) return report;
      rejected = rejection(checked, resources.problems);
    }
  } catch (error) {
    await writer.abandon().catch(() => undefined); // the next load removes what this one could not
    throw error;
  }
  await writer.abandon();
  return rejected;
}

/**
 * Waits for the lease and takes it. An abort does not end the wait, but a lease that is acquired after it is abandoned.
 * @throws the signal's reason when it aborts, or ApiError STORE_BUSY if another load does not end; then this load does not hold the lease
 */
async function begin({ table, folder, onNote, lease, clock }: LoadOptions, signal: AbortSignal): Promise<CommitWriter> {
  const beginning = beginCommit(table, {
    ...lease,
    owner: `the load of ${folder}`,
    ...(onNote === undefined ? {} : { onWait: onNote }),
    ...(clock === undefined ? {} : { clock }),
  });
  const writer = await beginning.catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
  if (signal.aborted) await writer.abandon();
  signal.throwIfAborted();
  return writer;
}
